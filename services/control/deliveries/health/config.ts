import { urlProblem } from "#contract";
import { setting, settingsGroup, value } from "#runtime";

const webhookUrl = {
  name: "http(s) URL",
  parse(given: string) {
    const problem = urlProblem(given);
    return problem === undefined ? { ok: true as const, value: given } : { ok: false as const, problem };
  },
};

/** Contract 4.5. */
export const healthSettings = settingsGroup({
  title: "Health of destinations",
  settings: {
    failingAfterMs: setting({
      env: "HOOKLINE_FAILING_AFTER",
      type: value.duration,
      default: "10s",
      doc: "A destination is failing when every attempt of it has failed for so long.",
    }),
    recoveredAfterMs: setting({
      env: "HOOKLINE_RECOVERED_AFTER",
      type: value.duration,
      default: "1m",
      doc: "A destination that was failing is healthy when calls have got through again for so long.",
    }),
    operatorUrl: setting({
      env: "HOOKLINE_OPERATOR_WEBHOOK_URL",
      type: webhookUrl,
      doc: "Gets an event when a destination is failing, has recovered, has dead letters or is switched off. At a private address it needs HOOKLINE_EGRESS_ALLOW_CIDRS, which opens that range for all webhooks.",
    }),
    operatorSecret: setting({
      env: "HOOKLINE_OPERATOR_WEBHOOK_SECRET",
      type: value.text,
      secret: true,
      doc: "Signs those events as Standard Webhooks does; what follows whsec_ is base64.",
    }),
  },
});
