import { expect, test } from "@jest/globals";
import { BLANK, changesOf, OPTION_NAMES, OPTIONS, type OptionName, textsOf } from "./options.ts";
import { webhooksPatch, webhookTexts } from "./webhooks.ts";

const BEFORE = {
  ...BLANK,
  ...{ name: "Hook", enabled: true, labels: { team: "growth", env: "live" }, sourceIds: ["shop", "app"] },
  ...{ callTypes: null, events: ["A b", "C"], filter: { path: "type", op: "eq", value: "track" } },
  ...{ maxRequestsPerSecond: 2.5, maxInFlight: null, shards: null, retryDelays: ["10s", "1m"] },
  ...{ retryWindow: null, disableAfter: "3d", standardWebhooks: false },
  webhooks: [{ url: "https://a.test/hook", headers: { "x-key": "********", "x-note": "********" } }],
} as never;

test("what is not touched is no change, whatever the option", () => {
  const texts = textsOf(BEFORE);
  expect(Object.keys(texts)).toEqual(OPTION_NAMES);
  expect(changesOf(BEFORE, texts)).toEqual({ patch: {}, problems: [] });
  expect(webhooksPatch(BEFORE, webhookTexts(BEFORE))).toEqual({ patch: {}, problems: [] });
});

test("an option of every kind is changed, and an empty text is null where that is the default", () => {
  const changed = {
    ...{ name: " Other ", enabled: "", labels: "team: sales\nnew: a:b", sourceIds: "shop\n\n" },
    ...{ callTypes: "track\nidentify", events: "", filter: "", maxRequestsPerSecond: "", maxInFlight: "7" },
    ...{ shards: "2", retryDelays: "", retryWindow: "2h", disableAfter: "", standardWebhooks: "on" },
  };
  const kindsOf = (names: readonly OptionName[]) => new Set(names.map((name) => OPTIONS[name].kind));
  expect(kindsOf(Object.keys(changed) as OptionName[])).toEqual(kindsOf(OPTION_NAMES));
  expect(changesOf(BEFORE, { ...textsOf(BEFORE), ...changed })).toEqual({
    patch: {
      ...{
        name: "Other",
        enabled: false,
        labels: { team: "sales", new: "a:b", env: null },
        sourceIds: ["shop"],
      },
      ...{ callTypes: ["track", "identify"], events: null, filter: null, maxRequestsPerSecond: null },
      ...{ maxInFlight: 7, shards: 2, retryDelays: null, retryWindow: "2h", disableAfter: null },
      standardWebhooks: true,
    },
    problems: [],
  });
});

test("what cannot be read is named, and nothing of it is sent", () => {
  const texts = { ...textsOf(BEFORE), filter: "{", shards: "two", labels: "no colon" };
  const { patch, problems } = changesOf(BEFORE, texts);
  expect(patch).toEqual({});
  expect(problems.map(({ path }) => path)).toEqual(["labels", "filter", "shards"]);
});

test("a header that is shown masked is sent back as it is, beside new ones and other webhooks", () => {
  const [first] = webhookTexts(BEFORE);
  if (first === undefined) throw new Error("there is one");
  const changed = [
    { ...first, headers: "x-key: ********\nx-new: a: b" },
    { key: 1, url: " https://b.test/ ", headers: "" },
  ];
  expect(webhooksPatch(BEFORE, changed).patch).toEqual({
    webhooks: [
      { url: "https://a.test/hook", headers: { "x-key": "********", "x-new": "a: b" } },
      { url: "https://b.test/", headers: {} },
    ],
  });
  expect(webhooksPatch(BEFORE, [{ ...first, headers: "none" }]).problems).toEqual([
    { path: "webhooks[0].headers", message: expect.stringContaining("key: value") },
  ]);
});
