import { describe, expect, test } from "@jest/globals";
import type { RequestResult } from "#contract";
import { createDriver } from "../fixtures/driver.ts";
import { destination, failure, job, response, START_MS } from "../fixtures/jobs.ts";

const FIVE = [1, 2, 3, 4, 5].map((number) => `https://w${number}.test/hook`);

/** Answers that the test gives when it wants to. */
function byHand() {
  const answers = new Map<string, (result: RequestResult) => void>();
  const respond = ({ url }: { url: string }) =>
    new Promise<RequestResult>((resolve) => {
      answers.set(url, resolve);
    });
  return { answer: (url: string, result: RequestResult) => answers.get(url)?.(result), respond };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("one attempt", () => {
  test("goes to five webhooks in parallel; the first success settles the call, the others run to their end (contract 3.2)", async () => {
    const { answer, respond } = byHand();
    const driver = createDriver({ respond });
    driver.configs.set("d1", destination({ urls: FIVE }));
    const settled = driver.step(job());
    await turn();
    expect(driver.sent.map(({ url }) => url)).toEqual(FIVE);
    for (const url of FIVE.slice(0, 2)) answer(url, response(500));
    await turn();
    expect(driver.verdicts).toEqual([]);
    answer(FIVE[3] ?? "", response(204));
    await settled;
    expect(driver.verdicts).toEqual([{ kind: "delivered" }]);
    for (const url of FIVE) answer(url, failure("timeout"));
    await turn();
    expect(driver.results).toHaveLength(5);
    expect(driver.verdicts).toHaveLength(1);
    expect(driver.written).toEqual([]);
  });

  test("is retried only at the webhooks whose last outcome was retryable (contract 3.4)", async () => {
    const statuses: Record<string, number[]> = {
      [FIVE[0] ?? ""]: [410],
      [FIVE[1] ?? ""]: [503, 200],
      [FIVE[2] ?? ""]: [301],
    };
    const driver = createDriver({ respond: ({ url }) => response(statuses[url]?.shift() ?? 599) });
    driver.configs.set("d1", destination({ urls: FIVE.slice(0, 3) }));
    await driver.step(job());
    await driver.run();
    expect(driver.sent.slice(3).map(({ url }) => url)).toEqual([FIVE[1]]);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });

  test.each<[string, RequestResult]>([
    ["410", response(410)],
    ["302", response(302)],
    ["a self-signed certificate", failure("self_signed")],
    ["a blocked address", failure("blocked_address")],
  ])("is not repeated after %s: dead letter at once (contract 3.3)", async (_what, result) => {
    const driver = createDriver({ respond: () => result });
    await driver.step(job());
    expect(driver.sent).toHaveLength(1);
    expect(driver.deadLetters).toMatchObject([
      { reason: "permanent", attempts: 1, outcomes: [{ kind: "permanent" }] },
    ]);
  });

  test("is signed and carries the static headers, ours over them (contract 2.2, 2.3, 2.8)", async () => {
    const driver = createDriver();
    const headers = { "X-Team": "growth", "User-Agent": "theirs" };
    driver.configs.set("d1", destination({ secret: "s3cr3t", headers }));
    const body = Buffer.from(
      '{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}',
    );
    await driver.step(job({ body }));
    expect(driver.sent[0]?.headers).toEqual({
      "X-Team": "growth",
      "User-Agent": "Hookline/1.0",
      "Content-Type": "application/json",
      "X-Signature": "ce8a59eb51054286f0df3eb0c27b1a1be7a96e59",
    });
  });

  test("that fails is remembered without the secrets that the other side put into the failure", async () => {
    const header = "Bearer of the team";
    const said = `altnames: ${Buffer.from(header).toString("base64")}.test s3cr3t`;
    const result = { kind: "failure", failure: "tls", message: said, durationMs: 1 } as const;
    const driver = createDriver({ respond: () => result });
    driver.configs.set("d1", destination({ secret: "s3cr3t", headers: { Authorization: header } }));
    await driver.step(job());
    expect(driver.pending).toMatchObject([{ outcomes: [{ message: "altnames: ********.test ********" }] }]);
    expect(driver.results).toMatchObject([{ message: "altnames: ********.test ********" }]);
  });

  test("is made again later, without a request, while the destination's secret cannot be decrypted", async () => {
    const driver = createDriver();
    const other = destination({ secret: "s" });
    const lost = { keyId: "lost", ciphertext: Buffer.alloc(40), format: 2 };
    driver.configs.set("d1", { ...other, sharedSecret: lost });
    await driver.step(job());
    expect(driver.sent).toEqual([]);
    expect(driver.pending).toMatchObject([
      { outcomes: [{ reason: "secret_unreadable", kind: "retryable" }] },
    ]);
    driver.configs.set("d1", other);
    await driver.run();
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });
});

describe("a change of the configuration while a call waits (contract 3.6)", () => {
  test("moves the call to the new URL, with the new secret", async () => {
    const driver = createDriver({ respond: ({ url }) => response(url.includes("new") ? 200 : 503) });
    driver.configs.set("d1", destination({ secret: "old" }));
    await driver.step(job());
    driver.configs.set("d1", destination({ urls: ["https://new.test/"], secret: "new", version: 2 }));
    await driver.run();
    expect(driver.sent.map(({ url }) => url)).toEqual(["https://a.test/hook", "https://new.test/"]);
    const [first, second] = driver.sent.map(({ headers }) => headers["X-Signature"]);
    expect(second).not.toEqual(first);
  });

  test("that deletes the destination ends the call as destination_gone", async () => {
    const driver = createDriver({ respond: () => response(503) });
    await driver.step(job());
    driver.configs.delete("d1");
    await driver.run();
    expect(driver.sent).toHaveLength(1);
    expect(driver.deadLetters).toMatchObject([
      { reason: "destination_gone", attempts: 1, outcomes: [{ status: 503 }] },
    ]);
  });

  test("that deletes it ends a call whose request was under way, and is not taken for one before the configuration's end was read", async () => {
    for (const isBack of [false, true]) {
      const { answer, respond } = byHand();
      const driver = createDriver({ respond });
      const stepped = driver.step(job());
      await turn();
      driver.configs.delete("d1");
      if (isBack) driver.unread.set("d1", destination({ version: 2 }));
      answer("https://a.test/hook", response(503));
      await stepped;
      expect(driver.pending).toHaveLength(isBack ? 1 : 0);
      expect(driver.deadLetters).toMatchObject(
        isBack ? [] : [{ reason: "destination_gone", attempts: 1, outcomes: [{ status: 503 }] }],
      );
    }
  });

  test("that deletes it ends a call that one webhook has taken while the other has no room", async () => {
    const { answer, respond } = byHand();
    const driver = createDriver({ respond, divert: (url) => (url === FIVE[1] ? "crowded" : undefined) });
    driver.configs.set("d1", destination({ urls: FIVE.slice(0, 2) }));
    const stepped = driver.step(job());
    await turn();
    driver.configs.delete("d1");
    answer(FIVE[0] ?? "", response(200));
    await stepped;
    expect(driver.verdicts).toEqual([{ kind: "delivered" }]);
    expect(driver.written).toEqual([]);
  });

  test("that switches the destination off ends the call as destination_disabled", async () => {
    const driver = createDriver({ respond: () => response(503) });
    await driver.step(job());
    driver.configs.set("d1", destination({ enabled: false, version: 2 }));
    await driver.run();
    expect(driver.sent).toHaveLength(1);
    expect(driver.deadLetters).toMatchObject([{ reason: "destination_disabled" }]);
  });

  test("that switches the destination off keeps nothing from being sent under the same id once it is on again", async () => {
    const driver = createDriver();
    driver.configs.set("d1", destination({ enabled: false, version: 2 }));
    await driver.step(job());
    expect(driver.deadLetters).toMatchObject([{ reason: "destination_disabled" }]);
    driver.configs.set("d1", destination({ version: 3 }));
    await driver.step(job());
    await driver.step(job());
    expect(driver.sent).toHaveLength(1);
  });

  test.each<[string, boolean]>([
    ["is not known yet", false],
    ["is still known as switched off", true],
  ])("is awaited when the job's destination %s: the job came first", async (_what, known) => {
    const driver = createDriver();
    if (known) driver.configs.set("d1", destination({ enabled: false }));
    else driver.configs.delete("d1");
    driver.unread.set("d1", destination({ version: 2 }));
    await driver.step(job());
    expect(driver.verdicts).toEqual([{ kind: "delivered" }]);
  });
});

describe("one user's calls that wait to hear of their destination", () => {
  const jobOf = (name: string) => job({ messageId: name, jobId: name, body: Buffer.from(name) });

  function unheardOf() {
    const seen: string[] = [];
    const driver = createDriver({
      respond: ({ body }) => {
        seen.push(body.toString());
        return response(200);
      },
    });
    driver.configs.delete("d1");
    driver.unread.set("d1", destination());
    return { driver, seen };
  }

  test("are sent before those that come meanwhile", async () => {
    const { driver, seen } = unheardOf();
    const first = driver.step(jobOf("m1"));
    driver.configs.set("d1", destination());
    await Promise.all([first, driver.step(jobOf("m2"))]);
    expect(seen).toEqual(["m1", "m2"]);
  });

  test("keep their turn where their partition was lost meanwhile and is read here again", async () => {
    const { driver, seen } = unheardOf();
    const steps = ["m1", "m2"].map((name) => driver.step(jobOf(name)));
    const again: Promise<void>[] = [];
    driver.hold.onGivenBack = (given) => again.push(driver.step(given));
    driver.hold.term += 1;
    await Promise.all([...steps, driver.step(jobOf("m3"))]);
    await Promise.all(again);
    expect(seen).toEqual(["m1", "m2", "m3"]);
  });

  test("do not let what comes behind them in the same turn pass", async () => {
    const { driver, seen } = unheardOf();
    const steps = ["m0", "m1", "m2"].map((name) => driver.step(jobOf(name)));
    const again: Promise<void>[] = [];
    driver.hold.onGivenBack = (given) => {
      again.push(driver.step(given));
      if (given.jobId === "m1") again.push(driver.step(jobOf("m3")));
    };
    driver.hold.term += 1;
    await Promise.all(steps);
    await Promise.all(again);
    expect(seen).toEqual(["m0", "m1", "m2", "m3"]);
  });
});

describe("a job that comes twice", () => {
  test("is sent once, and the second ends only when the first is durable", async () => {
    const { answer, respond } = byHand();
    const driver = createDriver({ respond });
    const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>();
    const ended: string[] = [];
    const first = driver.step(job(), acknowledged).then(() => ended.push("first"));
    const second = driver.step(job()).then(() => ended.push("second"));
    await turn();
    answer("https://a.test/hook", response(503));
    await turn();
    expect(ended).toEqual([]);
    acknowledge();
    await Promise.all([first, second]);
    await driver.step(job());
    expect(driver.sent).toHaveLength(1);
    expect(driver.pending).toHaveLength(1);
  });

  test("ends with the first also when it was to wait on: it waits nowhere again", async () => {
    const { answer, respond } = byHand();
    const driver = createDriver({ respond });
    let hasEnded = false;
    const first = driver.step(job({ attempts: 1 }));
    const waits = { attempts: 1, visibleAtMs: START_MS, dueAtMs: START_MS + 60_000 };
    const second = driver.step(job(waits)).then(() => {
      hasEnded = true;
    });
    await turn();
    expect([hasEnded, driver.written]).toEqual([false, []]);
    answer("https://a.test/hook", response(200));
    await Promise.all([first, second]);
    expect(driver.written).toEqual([]);
    await driver.step(job({ ...waits, jobId: "another" }));
    expect(driver.pending).toMatchObject([{ jobId: "another", dueAtMs: waits.dueAtMs }]);
  });

  test("is not another user's job that has its id, as the version before named calls without their users", async () => {
    const driver = createDriver();
    const former = (userId: string) =>
      job({ userId: null, anonymousId: null, body: Buffer.from(JSON.stringify({ userId })) });
    for (const userId of ["u1", "u2", "u1"]) await driver.step(former(userId));
    expect(driver.sent).toHaveLength(2);
  });

  test("from a retry topic is attempted once there, and its next attempt is not taken for a copy", async () => {
    const driver = createDriver({ respond: () => response(503) });
    await driver.step(job());
    driver.pending.push(...driver.pending);
    await driver.run(START_MS + 10_000);
    expect(driver.sent).toHaveLength(2);
    await driver.run(START_MS + 100_000);
    expect(driver.sent).toHaveLength(3);
  });
});

describe("a job whose partition may be another process's by now", () => {
  test("is neither sent nor diverted when its turn comes, but given back; then it can be taken in hand again", async () => {
    const { answer, respond } = byHand();
    const driver = createDriver({ respond });
    const jobs = Array.from({ length: 9 }, (_, index) => job({ jobId: `j${index}` }));
    const steps = jobs.map((each) => driver.step(each));
    const double = driver.step(job({ jobId: "j8" }));
    await turn();
    expect(driver.sent).toHaveLength(8);
    driver.hold.isOurs = false;
    answer("https://a.test/hook", response(503));
    await Promise.all([steps[8], double]);
    expect(driver.hold.givenBack).toEqual(["j8", "j8"]);
    expect(driver.sent).toHaveLength(8);
    driver.hold.isOurs = true;
    void driver.step(job({ jobId: "j8" }));
    await turn();
    expect(driver.sent).toHaveLength(9);
  });

  test.each(["fails", "hops on", "is put off"])(
    "is given back, and not its own double, where it %s and that is not written any more",
    async (how) => {
      const driver = createDriver({ respond: () => response(503) });
      driver.hold.isHeld = false;
      if (how === "is put off") driver.configs.set("d1", destination({ pausedAtMs: 1 }));
      const one = job(how === "hops on" ? { dueAtMs: driver.clock.nowMs + 60_000 } : {});
      await driver.step(one);
      await driver.step(one);
      expect([driver.hold.givenBack, driver.pending]).toEqual([["job-1", "job-1"], []]);
    },
  );

  test("is not made a dead letter for its destination, of which its owner may know more", async () => {
    const driver = createDriver();
    driver.configs.delete("d1");
    const settled = driver.step(job());
    driver.hold.isOurs = false;
    await settled;
    expect([driver.hold.givenBack, driver.deadLetters]).toEqual([["job-1"], []]);
  });

  test("is given back when one of its webhooks was not asked, unless another has taken it", async () => {
    const [full = "", other = ""] = FIVE;
    const answers: ((result: RequestResult) => void)[] = [];
    const held: (() => void)[] = [];
    const respond = ({ url }: { url: string }) =>
      new Promise<RequestResult>((resolve) => {
        if (url === other) answers.push(resolve);
        else held.push(() => resolve(response(200)));
      });
    const driver = createDriver({ respond });
    driver.configs.set("d1", destination({ urls: [full] }));
    for (let index = 0; index < 8; index += 1) void driver.step(job({ jobId: `full${index}` }));
    driver.configs.set("d1", destination({ urls: [full, other], version: 2 }));
    const steps = ["fails", "succeeds"].map((jobId) => driver.step(job({ jobId })));
    await turn();
    driver.hold.isOurs = false;
    answers[0]?.(response(503));
    answers[1]?.(response(200));
    await turn();
    for (const answer of held) answer();
    await Promise.all(steps);
    expect(driver.hold.givenBack).toEqual(["fails"]);
    expect(driver.pending).toMatchObject([{ jobId: "succeeds", unaskedUrls: [full] }]);
    expect(driver.written).toHaveLength(1);
    expect(driver.sent).toHaveLength(10);
  });

  test("and one of whose webhooks was not asked any more waits for that one when another takes it (contract 3.2)", async () => {
    const [full = "", other = ""] = FIVE;
    const answers: { url: string; answer(result: RequestResult): void }[] = [];
    const respond = ({ url }: { url: string }) =>
      new Promise<RequestResult>((answer) => void answers.push({ url, answer }));
    const driver = createDriver({ respond });
    driver.configs.set("d1", destination({ urls: [full] }));
    for (let index = 0; index < 8; index += 1) void driver.step(job({ jobId: `full${index}` }));
    driver.configs.set("d1", destination({ urls: [full, other], version: 2 }));
    const settled = driver.step(job({ jobId: "taken" }));
    await turn();
    driver.hold.isOurs = false;
    // The first webhook's turn comes now, and nothing is sent to it.
    answers[0]?.answer(response(200));
    await turn();
    answers.find(({ url }) => url === other)?.answer(response(200));
    await settled;
    expect(driver.hold.givenBack).toEqual([]);
    const waits = { kind: "divert", reason: "handed_over", job: { unaskedUrls: [full] } };
    expect(driver.verdicts.at(-1)).toMatchObject(waits);
    expect(driver.sent).toHaveLength(9);
  });
});

test("a fault of ours becomes a dead letter that names it, not a record that hangs", async () => {
  const onEncode = (topic: string) => {
    if (topic.includes("retry")) throw new Error("no place to wait");
  };
  const driver = createDriver({ respond: () => response(503), onEncode });
  await driver.step(job());
  expect(driver.deadLetters).toMatchObject([
    { id: "job-1", reason: "handler_failed", message: "no place to wait", body: job().body },
  ]);
});

test("a divert is counted among the destination's attempts, a failed request is not one", async () => {
  const isFull = new Set(["https://a.test/hook"]);
  const driver = createDriver({
    respond: () => response(503),
    divert: (url) => (isFull.delete(url) ? "stalled" : undefined),
  });
  await driver.step(job({ jobId: "diverted" }));
  await driver.step(job({ jobId: "failed" }));
  expect(driver.diverted).toEqual(["diverted"]);
});

test("a job of which neither a retry nor a dead letter can be made keeps its bytes in the dead letters", async () => {
  let deadLetters = 0;
  const driver = createDriver({
    respond: () => response(503),
    onEncode(topic) {
      if (topic === "dead-letters") deadLetters += 1;
      if (topic !== "dead-letters" || deadLetters === 1)
        throw new TypeError("a field is not what it should be");
    },
  });
  await driver.step(job());
  expect(driver.pending).toEqual([]);
  expect(driver.deadLetters).toMatchObject([
    {
      destinationId: "d1",
      message: expect.stringContaining("a field is not what it should be"),
      body: Buffer.alloc(0),
    },
  ]);
});
