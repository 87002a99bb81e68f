// POST /v1/destinations/{id}/test (contract 10.4).
import { type Static, Type } from "typebox";
import { type AcceptedCall, deliveryHeaders } from "#contract";
import { createMask, SecretError, secretsOfHeader, secretsOfUrl } from "#secrets";
import type { DestinationConfig } from "#topics";
import { IdParams } from "../../http/fields.ts";
import { nullableInteger, nullableString } from "../../http/nullable.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { WEBHOOK_FIELDS } from "../../http/webhook-fields.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { type OpenSecrets, openSecrets } from "../../resources/destinations/secrets.ts";
import { CAPTURED_BYTES, isWithoutAddress, outcomeView, unreadableView } from "./outcome.ts";
import type { TestCallParts } from "./parts.ts";
import { prepareCall } from "./prepare.ts";

const TestBody = Type.Object(
  {
    call: Type.Optional(
      Type.Unsafe<object>({ type: "object", description: "A call with its `type`; a sample when absent." }),
    ),
  },
  { additionalProperties: false, default: {} },
);

const TestResult = Type.Object(
  {
    messageId: Type.String(),
    delivered: Type.Boolean({ description: "At least one webhook answered with success." }),
    webhooks: Type.Array(
      Type.Object({
        ...WEBHOOK_FIELDS,
        outcome: Type.Unsafe<"success" | "retryable" | "permanent">({
          type: "string",
          enum: ["success", "retryable", "permanent"],
          description: "A call that is not a test would be retried after a retryable one.",
        }),
        reason: nullableString(
          "A slug such as timeout or http_5xx; no_usable_address for every host that is unknown or forbidden, secret_unreadable when a key is missing in HOOKLINE_ENCRYPTION_KEYS. null on success.",
        ),
        status: nullableInteger("null when there was no response."),
        durationMs: Type.Integer({ description: "To the status line and headers, or to the failure." }),
        error: nullableString("For people; null on success."),
        response: nullableString("The first 1 KiB of the response's body; null when there was no response."),
      }),
    ),
  },
  { title: "TestResult", description: "What each webhook made of the call." },
);

export function addTestRoute(app: ControlApp, parts: TestCallParts): void {
  app.post(
    "/v1/destinations/:id/test",
    {
      attachValidation: true,
      // No body is an empty one.
      preValidation: async (request) => {
        request.body ??= {};
      },
      schema: {
        tags: ["destinations"],
        operationId: "testDestination",
        summary: "Send one call to every webhook at once, also while the destination is off",
        params: IdParams,
        body: TestBody,
        response: { 200: TestResult },
      },
    },
    async (request) => {
      const destination = existingDestination(parts, request.params.id);
      checkBody(request);
      const { ids, nowMs } = parts;
      const call = prepareCall(request.body.call, { receivedAtMs: nowMs(), newMessageId: ids.newMessageId });
      return await sendTest(destination, call, parts);
    },
  );
}

/** No lookup that is answered at all takes longer: an unknown name and a forbidden one are told at the same time. */
const WITHOUT_ADDRESS_AFTER_MS = 1_000;

/** When the secrets do not open nothing is sent, as by the deliverer. */
async function sendTest(
  destination: DestinationConfig,
  call: AcceptedCall,
  parts: TestCallParts,
): Promise<Static<typeof TestResult>> {
  try {
    return await send(call, parts, {
      destination,
      secrets: openSecrets(parts.secrets, destination, parts.nowMs()),
    });
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    const destinationId = destination.id;
    const webhooks = destination.webhooks.map(({ url }) =>
      unreadableView({ destinationId, url }, error.message),
    );
    for (const { outcome } of webhooks) parts.telemetry.tested(outcome);
    return { messageId: call.messageId, delivered: false, webhooks };
  }
}

interface Opened {
  readonly destination: DestinationConfig;
  readonly secrets: OpenSecrets;
}

async function send(
  call: AcceptedCall,
  parts: TestCallParts,
  { destination, secrets: { sharedSecret, previousSecret, headers } }: Opened,
): Promise<Static<typeof TestResult>> {
  const { egress, delivery, host, telemetry } = parts;
  const nowMs = parts.nowMs();
  const signing = [sharedSecret, previousSecret].filter((secret) => secret !== undefined);
  // One for all webhooks, made before their answers come: its forms are what costs most.
  const ofHeaders = headers.flatMap(Object.values<string>).flatMap(secretsOfHeader);
  const ofUrls = destination.webhooks.flatMap(({ url }) => secretsOfUrl(url));
  const hide = createMask([...signing, ...ofHeaders, ...ofUrls]);
  const { messageId } = call;
  const standardWebhooks = destination.standardWebhooks ? { messageId, secrets: signing, nowMs } : undefined;
  const { userAgent } = delivery;
  const body = Buffer.from(call.body);
  const webhooks = await Promise.all(
    destination.webhooks.map(async ({ url }, index) => {
      const staticHeaders = headers[index] ?? {};
      const begunAtMs = host.elapsed();
      const result = await egress.post({
        url,
        headers: deliveryHeaders({ body, staticHeaders, sharedSecret, standardWebhooks, userAgent }),
        body,
        deadlineMs: delivery.responseDeadlineMs,
        captureBytes: CAPTURED_BYTES,
      });
      if (isWithoutAddress(result))
        await host.delay(Math.max(0, WITHOUT_ADDRESS_AFTER_MS - (host.elapsed() - begunAtMs)));
      const view = outcomeView(result, { destinationId: destination.id, url, hide, nowMs: parts.nowMs() });
      telemetry.tested(view.outcome);
      return view;
    }),
  );
  const delivered = webhooks.some(({ outcome }) => outcome === "success");
  return { messageId, delivered, webhooks };
}
