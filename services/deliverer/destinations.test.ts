import { describe, expect, test } from "@jest/globals";
import type { DestinationConfig, EncryptedSecret } from "#topics";
import { createDestinations } from "./destinations.ts";
import { destination, secretBox } from "./fixtures/jobs.ts";

const lost: EncryptedSecret = { keyId: "lost", ciphertext: Buffer.alloc(40), format: 2 };

/** A table whose loads the test ends by hand. */
function setup(nowMs: () => number = Date.now) {
  const configs = new Map<string, DestinationConfig>();
  const loads: (() => void)[] = [];
  let decryptions = 0;
  const table = {
    get: (id: string) => configs.get(id),
    load: () => new Promise<void>((resolve) => loads.push(resolve)),
  };
  const box = {
    ...secretBox,
    decrypt: (...given: Parameters<typeof secretBox.decrypt>) => {
      decryptions += 1;
      return secretBox.decrypt(...given);
    },
  };
  return {
    configs,
    decryptions: () => decryptions,
    destinations: createDestinations(table, box, nowMs, nowMs),
    loads,
  };
}

/** A destination as `destination` makes it, with this secret. */
const signedBy = (sharedSecret: string) => ({
  kind: "active",
  webhooks: new Map([
    ["https://a.test/hook", expect.objectContaining({ signing: expect.objectContaining({ sharedSecret }) })],
  ]),
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("destinations", () => {
  test("are decrypted once per version", () => {
    const { configs, decryptions, destinations } = setup();
    configs.set("d1", destination({ secret: "one", headers: { "X-A": "1" } }));
    for (const _ of [1, 2, 3]) {
      expect(destinations.state("d1")).toMatchObject(signedBy("one"));
    }
    expect(decryptions()).toBe(2);
    configs.set("d1", destination({ secret: "two", version: 2 }));
    expect(destinations.state("d1")).toMatchObject(signedBy("two"));
    expect(decryptions()).toBe(3);
  });

  test("of another destination's ciphertext are unreadable, and the message holds no secret", () => {
    const { configs, destinations } = setup();
    configs.set("d2", { ...destination({ id: "d1", secret: "one" }), id: "d2" });
    expect(destinations.state("d2")).toMatchObject({ kind: "unreadable", urls: ["https://a.test/hook"] });
    expect(JSON.stringify(destinations.state("d2"))).not.toContain("one");
  });

  const full = destination({ secret: "one", headers: { "X-A": "1", "X-B": "2" } });
  const { sharedSecret, webhooks } = full;
  const [{ url, headers } = { url: "", headers: [] }] = webhooks;
  const [a, b] = headers.map(({ value }) => value);
  const headersOf = (...values: (EncryptedSecret | null | undefined)[]) =>
    values.flatMap((value, at) => (value ? [{ name: ["X-A", "X-B"][at] ?? "", value }] : []));

  test.each<[string, Partial<DestinationConfig>]>([
    ["two headers", { webhooks: [{ url, headers: headersOf(b, a) }] }],
    ["the shared secret as a header", { webhooks: [{ url, headers: headersOf(sharedSecret) }] }],
    ["a header as the shared secret", { sharedSecret: a ?? null }],
    ["a header at another URL", { webhooks: [{ url: "https://elsewhere.test/", headers }] }],
    ["a header under another name", { webhooks: [{ url, headers: [{ name: "X-C", value: a ?? lost }] }] }],
    [
      "the shared secret as the one before",
      {
        standardWebhooks: true,
        previousSecret: sharedSecret,
        previousSecretUntilMs: Number.MAX_SAFE_INTEGER,
      },
    ],
    [
      "today's ciphertext as one of the early format",
      { sharedSecret: { ...(sharedSecret ?? lost), format: 1 } },
    ],
    ["a format of a later release", { sharedSecret: { ...(sharedSecret ?? lost), format: 3 } }],
  ])("whose ciphertexts somebody exchanged in the topic are unreadable: %s", (_what, exchanged) => {
    const { configs, destinations } = setup();
    configs.set("d1", full);
    expect(destinations.state("d1")).toMatchObject({ kind: "active" });
    configs.set("d1", { ...full, ...exchanged });
    expect(destinations.state("d1")).toMatchObject({ kind: "unreadable" });
  });

  describe("whose secret was changed", () => {
    const UNTIL_MS = 1_000_000;
    const old = secretBox.encrypt("old", { destinationId: "d1", field: "previousSecret" });
    const changed: DestinationConfig = {
      ...destination({ secret: "new" }),
      standardWebhooks: true,
      previousSecret: old,
      previousSecretUntilMs: UNTIL_MS,
    };
    const signingAt = (nowMs: number, config: DestinationConfig) => {
      const { configs, destinations } = setup(() => nowMs);
      configs.set("d1", config);
      const state = destinations.state("d1");
      return state.kind === "active" ? [...state.webhooks.values()][0]?.signing : state.kind;
    };
    const both = {
      sharedSecret: "new",
      standardWebhooks: true,
      previous: { secret: "old", untilMs: UNTIL_MS },
    };

    test("sign by the old one too, until its time is over", () => {
      expect(signingAt(UNTIL_MS - 1, changed)).toEqual(both);
      expect(signingAt(UNTIL_MS, changed)).toEqual({ ...both, previous: undefined });
      expect(signingAt(0, { ...changed, previousSecret: null })).toEqual({ ...both, previous: undefined });
    });

    test.each<[string, number, Partial<DestinationConfig>]>([
      ["its time is over", UNTIL_MS, {}],
      ["it has no time", 0, { previousSecretUntilMs: null }],
      ["there are no Standard Webhooks, so X-Signature is all", 0, { standardWebhooks: false }],
    ])("stay readable when the key of the old one is gone and %s", (_why, nowMs, changes) => {
      const config = { ...changed, previousSecret: lost, ...changes };
      const { standardWebhooks } = config;
      const signing = { sharedSecret: "new", standardWebhooks, previous: undefined };
      expect(signingAt(nowMs, config)).toEqual(signing);
    });

    test("are unreadable while one that still signs cannot be read", () => {
      expect(signingAt(0, { ...changed, previousSecret: lost })).toBe("unreadable");
    });

    test("are readable again once the time of an old one that cannot be read is over", () => {
      let nowMs = UNTIL_MS - 1;
      const { configs, destinations } = setup(() => nowMs);
      configs.set("d1", { ...changed, previousSecret: lost });
      expect(destinations.state("d1").kind).toBe("unreadable");
      nowMs = UNTIL_MS;
      expect(destinations.state("d1")).toMatchObject(signedBy("new"));
    });
  });

  test("are confirmed by a look that began after the question, one look for all who ask meanwhile", async () => {
    const { configs, destinations, loads } = setup();
    const first = destinations.confirmed("d1");
    const later = [destinations.confirmed("d1"), destinations.confirmed("d1")];
    expect([loads.length, destinations.awaitingJobs]).toEqual([1, 3]);
    loads[0]?.();
    expect(await first).toEqual({ kind: "gone" });
    await turn();
    expect(loads).toHaveLength(2);
    configs.set("d1", destination());
    loads[1]?.();
    for (const state of await Promise.all(later)) expect(state).toMatchObject({ kind: "active" });
    expect(destinations.awaitingJobs).toBe(0);
  });

  test("are confirmed by nothing when the table can never be read again", async () => {
    const table = { get: () => undefined, load: () => Promise.reject(new Error("the consumer is dead")) };
    let isDecided = false;
    void createDestinations(table, secretBox, Date.now, Date.now)
      .confirmed("d1")
      .then(() => {
        isDecided = true;
      });
    await turn();
    await turn();
    expect(isDecided).toBe(false);
  });
});
