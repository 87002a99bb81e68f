import { describe, expect, test } from "@jest/globals";
import type { DestinationConfig } from "#topics";
import { InvalidRecordError } from "./errors.ts";
import { recordFromJson, recordToJson } from "./json.ts";

const SECRET = { keyId: "k1", ciphertext: Buffer.from([0, 128, 255]), format: 2 };

/** A record as an early version wrote it. */
const EARLY = {
  id: "dst_1",
  name: "D",
  enabled: true,
  sourceIds: ["src_1"],
  sharedSecret: SECRET,
  webhooks: [{ url: "https://a.test", headers: [{ name: "x", value: SECRET }] }],
  version: 3,
  createdAtMs: 1,
  updatedAtMs: 2,
};

const again = (value: object) => recordFromJson("destination-config", JSON.parse(recordToJson(value)));

describe("a record as JSON", () => {
  test("comes back as it was: bytes, named types in null unions and lists, labels that look like either", () => {
    const labels = { base64: "AAAA", type: "Buffer" };
    const whole = again({ ...EARLY, labels });
    expect(whole).toMatchObject({ ...EARLY, labels });
    expect(again(whole)).toEqual(whole);
    expect(recordToJson(EARLY)).toContain('"ciphertext":"AID/"');
  });

  test("comes back as it was where a type is described in a field that is null or empty", () => {
    const { webhooks } = EARLY;
    expect(again({ ...EARLY, sharedSecret: null, webhooks })).toMatchObject({ webhooks });
    expect(again({ ...EARLY, sharedSecret: null, webhooks: [], previousSecret: SECRET })).toMatchObject({
      previousSecret: SECRET,
    });
  });

  test("gets the defaults of fields that it was written without", () => {
    const { sharedSecret: _, ...older } = EARLY;
    const restored: DestinationConfig = again(older);
    expect(restored).toMatchObject({ sharedSecret: null, labels: {}, standardWebhooks: false });
    const subjects = { subjectIds: [], subjectCount: 0, sourceIds: [] };
    const times = { createdAtMs: 1, updatedAtMs: 1 };
    const early = { id: "reg_1", regulationType: "DELETE_ONLY", state: "running", ...subjects, ...times };
    expect(recordFromJson("regulation", early).subjectHashes).toEqual(Buffer.alloc(0));
    expect(() => recordFromJson("regulation", subjects)).toThrow("Regulation has no id");
  });

  test("is refused with a field that this version does not know, wherever it is", () => {
    const webhooks = [{ url: "https://a.test", headers: [], colour: "red" }];
    expect(() => again({ ...EARLY, webhooks })).toThrow(InvalidRecordError);
    expect(() => again({ ...EARLY, webhooks })).toThrow("Webhook has no field colour in this version");
  });
});
