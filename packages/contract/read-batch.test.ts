import { describe, expect, test } from "@jest/globals";
import { MAX_BATCH_CALLS, MAX_CALL_BYTES, MAX_CALL_DEPTH, readBatch } from "./index.ts";

const call = { type: "page", userId: "u" };
const read = (body: unknown, sizeBytes = 1_000) => {
  const reading = readBatch(body, sizeBytes);
  return reading.ok ? "ok" : reading.code;
};

describe("a batch (contract 7.1, 7.5)", () => {
  test("its parts come out; the root timestamp and messageId are no call's", () => {
    const body = {
      batch: [call],
      context: { a: 1 },
      integrations: { All: true },
      sentAt: "s",
      timestamp: "t",
      messageId: "m",
    };
    expect(readBatch(body, 100)).toEqual({
      ok: true,
      batch: {
        calls: [call],
        root: { context: { a: 1 }, integrations: { All: true } },
        sentAt: "s",
        mergedBytes: Buffer.byteLength('[{"a":1},{"All":true},"s"]'),
      },
    });
  });

  test("it says what its root comes to in all of its calls", () => {
    const merged = (body: object) => {
      const reading = readBatch({ batch: new Array(500).fill(call), ...body }, 20_000);
      return reading.ok ? reading.batch.mergedBytes : undefined;
    };
    expect(merged({})).toBe(0);
    const context = { text: "ä".repeat(1_000) };
    expect(merged({ context })).toBe(500 * Buffer.byteLength(JSON.stringify([context, null])));
  });

  test.each([[{ batch: [] }], [{}], [{ batch: null }], [{ batch: {} }], [{ batch: "x" }]])(
    "%j is empty_batch",
    (body) => {
      expect(read(body)).toBe("empty_batch");
    },
  );

  test.each([[[]], [null], [5], ["x"]])("%j is not_an_object", (body) =>
    expect(read(body)).toBe("not_an_object"),
  );

  test("2,500 calls pass, one more does not", () => {
    expect(read({ batch: new Array(MAX_BATCH_CALLS).fill(call) })).toBe("ok");
    expect(read({ batch: new Array(MAX_BATCH_CALLS + 1).fill(call) })).toBe("too_many_messages");
  });

  test("a root context or integrations of the wrong type refuse the batch", () => {
    expect(read({ batch: [call], context: "x" })).toBe("context_not_object");
    expect(read({ batch: [call], integrations: { All: "no" } })).toBe("integrations_invalid");
    expect(read({ batch: [call], context: null, integrations: null })).toBe("ok");
  });

  test("a root that would multiply the batch's size without bound is refused", () => {
    const context = { text: "x".repeat(30_000) };
    expect(read({ batch: [call], context }, 31_000)).toBe("ok");
    expect(read({ batch: new Array(2_500).fill(call), context }, 100_000)).toBe("message_too_large");
    expect(read({ batch: [call], context: { text: "x".repeat(40_000) } }, 41_000)).toBe("message_too_large");
  });

  test("a sentAt at the root, which is written into every call, counts like its context", () => {
    const sentAt = "x".repeat(20_000);
    expect(read({ batch: [call], sentAt }, 100_000)).toBe("ok");
    expect(read({ batch: new Array(1_000).fill(call), sentAt }, 100_000)).toBe("message_too_large");
    expect(read({ batch: [call], sentAt: "x".repeat(40_000) }, 100_000)).toBe("message_too_large");
  });

  test("a root nested too deep is refused", () => {
    let context: object = {};
    for (let level = 0; level < 50_000; level += 1) context = { context };
    expect(read({ batch: [call], context })).toBe("nested_too_deep");
    expect(read({ batch: [call], sentAt: context })).toBe("nested_too_deep");
  });

  test("a number in the root that would be delivered as null is refused", () => {
    const infinity = Number("1e400");
    expect(read({ batch: [call], context: { a: infinity } })).toBe("number_out_of_range");
    expect(read({ batch: [call], sentAt: infinity })).toBe("number_out_of_range");
  });
});

describe("why a batch is refused, in words and to the byte", () => {
  const refusal = (body: unknown, sizeBytes = 1_000) => {
    const reading = readBatch(body, sizeBytes);
    return reading.ok ? undefined : reading.message;
  };
  /** Levels of nesting, itself included. */
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
  /** A root whose context and integrations are `bytes` long as JSON: `[{"text":"…"},null]`. */
  const contextOf = (bytes: number) => ({ text: "x".repeat(bytes - '[{"text":""},null]'.length) });

  test("what stands in the place of the calls is named", () => {
    expect(refusal({ batch: [] })).toBe("batch must be an array of at least one call, is empty");
    expect(refusal({})).toBe("batch must be an array of at least one call, is missing");
    expect(refusal(5)).toBe("the body must be an object, is a number");
    expect(refusal({ batch: [call], context: "x" })).toMatch(/^the batch's context must be/);
    expect(refusal({ batch: new Array(MAX_BATCH_CALLS + 1).fill(call) })).toBe(
      "batch has 2501 calls, at most 2500 are allowed",
    );
  });

  test("context and integrations nest one level less than a call", () => {
    expect(read({ batch: [call], context: nested(MAX_CALL_DEPTH - 1) })).toBe("ok");
    expect(refusal({ batch: [call], context: nested(MAX_CALL_DEPTH) })).toBe(
      "the batch's context may nest at most 63 levels deep",
    );
    const integrations = (levels: number) => ({ Webhooks: nested(levels - 1) });
    expect(read({ batch: [call], integrations: integrations(MAX_CALL_DEPTH - 1) })).toBe("ok");
    expect(read({ batch: [call], integrations: integrations(MAX_CALL_DEPTH) })).toBe("nested_too_deep");
  });

  test("the root may be as large as a call, and all of it merged 16 MB", () => {
    const large = 1_000_000;
    expect(read({ batch: [call], context: contextOf(MAX_CALL_BYTES) }, large)).toBe("ok");
    expect(refusal({ batch: [call], context: contextOf(MAX_CALL_BYTES + 1) }, large)).toBe(
      "the batch's context, integrations and sentAt have 32769 bytes, too many to be merged into 1 calls",
    );
    const calls = new Array(1_000).fill(call);
    expect(read({ batch: calls, context: contextOf(16_000) }, large)).toBe("ok");
    expect(read({ batch: calls, context: contextOf(16_001) }, large)).toBe("message_too_large");
  });

  test("a request too small for it is not measured", () => {
    const context = contextOf(MAX_CALL_BYTES + 1);
    expect(read({ batch: [call], context }, MAX_CALL_BYTES)).toBe("ok");
    expect(read({ batch: [call], context }, MAX_CALL_BYTES + 1)).toBe("message_too_large");
    const calls = new Array(1_000).fill(call);
    expect(read({ batch: calls, context: contextOf(16_001) }, 16_000)).toBe("ok");
    expect(read({ batch: calls, context: contextOf(16_001) }, 16_001)).toBe("message_too_large");
  });
});
