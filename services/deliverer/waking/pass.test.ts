import { describe, expect, jest, test } from "@jest/globals";
import { systemHost } from "#host";
import type { RawRecord, Settle, Step } from "#kafka";
import { until } from "#support/until";
import { type DeliveryJob, EVERY_CALL } from "#topics";
import type { DestinationState } from "../destinations.ts";
import {
  cursorsOn,
  type Disk,
  endpointOf,
  logOf,
  NOW_MS,
  type PassBench,
  partsOf,
} from "../fixtures/pass.ts";
import { type PassParts, REQUESTED } from "./parts.ts";
import { runPass } from "./pass.ts";
import { OpenRequest } from "./retry-request.ts";

const NEVER = new AbortController().signal;
const A = new Map([[endpointOf("a"), NOW_MS]]);
const BACK = [{ topic: "retry-1m", key: "k", value: Buffer.alloc(0) }];

/** Delivers at once what it is given. */
function delivering(seen: DeliveryJob[]): Step<DeliveryJob> {
  return ({ decoded }, settle) => {
    seen.push(decoded);
    settle({ produce: [] });
  };
}

/** Puts another partition before the bench's in the pass; nothing is left in it. */
function behindAnother(bench: PassBench, meanwhile: () => void): PassParts {
  const parts = partsOf(bench);
  const other = { partition: 1, low: 0, high: 1 };
  return {
    ...parts,
    offsets: async (topic) => [other, ...(await parts.offsets(topic))],
    position: (place) => (place.partition === other.partition ? 0 : parts.position(place)),
    async readRange(range) {
      if (range.partition === other.partition) meanwhile();
      else await parts.readRange(range);
    },
  };
}

/** Means all that waits for `a`. */
function requestOf(id: string): OpenRequest {
  const request = { id, destinationId: "a", askedAtMs: NOW_MS, kind: "retry" };
  return new OpenRequest({ ...request, ...EVERY_CALL, found: null, done: null }, () => NOW_MS, true);
}

describe("a pass", () => {
  test("takes the waiting jobs of the endpoint, due now, and leaves all others", async () => {
    const seen: DeliveryJob[] = [];
    const log = logOf(["a", "b", "a", "c", "a"]);
    const result = await runPass(A, partsOf({ log, step: delivering(seen) }), NEVER);
    expect(result).toEqual({ taken: 3, returned: 0, isPutOff: false });
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j0", "j2", "j4"]);
    expect(seen.every(({ dueAtMs }) => dueAtMs === NOW_MS)).toBe(true);
  });

  test("leaves a cursor for the destination that covers all it took, and none for others", async () => {
    const disk: Disk = new Map();
    await runPass(A, partsOf({ log: logOf(["a", "b", "a", "b"]), disk, step: delivering([]) }), NEVER);
    expect([...disk.values()]).toEqual([
      { destinationId: "a", topic: "retry", partition: 0, belowOffset: 4, atMs: NOW_MS - 1 },
    ]);
  });

  test("begins where the topic's reader is, and does not take again what a cursor covers", async () => {
    const disk: Disk = new Map();
    const log = logOf(["a", "a", "a"]);
    const first = await runPass(A, partsOf({ log, disk, position: 1, step: delivering([]) }), NEVER);
    expect(first.taken).toBe(2);
    const again = await runPass(A, partsOf({ log, disk, position: 1, step: delivering([]) }), NEVER);
    expect(again.taken).toBe(0);
  });

  test("begins where the reader is when it comes to the partition: what was given back meanwhile is not passed over", async () => {
    const seen: DeliveryJob[] = [];
    let position = 2;
    const bench = { log: logOf(["a", "a", "a"]), step: delivering(seen), position: () => position };
    await runPass(
      A,
      behindAnother(bench, () => (position = 1)),
      NEVER,
    );
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j1", "j2"]);
  });

  test("takes nothing of a partition that was lost before it comes to it", async () => {
    const seen: DeliveryJob[] = [];
    let position: number | undefined = 0;
    const bench = { log: logOf(["a"]), step: delivering(seen), position: () => position };
    await runPass(
      A,
      behindAnother(bench, () => (position = undefined)),
      NEVER,
    );
    expect(seen).toEqual([]);
  });

  test("does not take again what an earlier owner of the partition has done behind an open job", async () => {
    const seen: DeliveryJob[] = [];
    const wasDone = ({ offset }: { readonly offset: number }) => offset === 1;
    await runPass(A, partsOf({ log: logOf(["a", "a", "a"]), wasDone, step: delivering(seen) }), NEVER);
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j0", "j2"]);
  });

  test("says what it has done to the group's commits, also while the partition is being handed over", async () => {
    let isOurs = true;
    const done: number[] = [];
    const step: Step<DeliveryJob> = (_, settle) => {
      isOurs = false;
      settle({ produce: [] });
    };
    const doneEarly = ({ offset }: { readonly offset: number }) => void done.push(offset);
    await runPass(A, partsOf({ log: logOf(["a"]), doneEarly, isOurs: () => isOurs, step }), NEVER);
    expect(done).toEqual([0]);
  });

  test("says when it works on a job, so that a stop waits for that", async () => {
    const settles: Settle[] = [];
    const underWay = { begun: 0, over: 0 };
    const takenEarly = () => {
      underWay.begun += 1;
      return () => {
        underWay.over += 1;
      };
    };
    const step: Step<DeliveryJob> = (_, settle) => void settles.push(settle);
    const pass = runPass(A, partsOf({ log: logOf(["a", "b"]), takenEarly, step }), NEVER);
    await until(() => settles.length === 1, { timeoutMs: 30_000, what: "a job in hand" });
    expect(underWay).toEqual({ begun: 1, over: 0 });
    settles[0]?.({ produce: [] });
    await pass;
    expect(underWay).toEqual({ begun: 1, over: 1 });
  });

  test("says of nothing that it was taken where retention has removed what the topic's reader may have in hand", async () => {
    const disk: Disk = new Map();
    const seen: DeliveryJob[] = [];
    const { jobs, records } = logOf(["a", "a", "a", "a"]);
    const cut = { jobs, records: records.filter(({ offset }) => offset > 0) };
    await runPass(A, partsOf({ log: cut, disk, step: delivering(seen) }), NEVER);
    expect([seen, [...disk.values()]]).toEqual([[], []]);
    const cutLater = { jobs, records: records.filter(({ offset }) => offset !== 2) };
    await runPass(A, partsOf({ log: cutLater, disk, step: delivering(seen) }), NEVER);
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j0", "j1"]);
    expect([...disk.values()].map(({ belowOffset }) => belowOffset)).toEqual([2]);
  });

  test("says so of nothing either where the rest of the log is gone", async () => {
    const disk: Disk = new Map();
    const { jobs, records } = logOf(["a", "a", "a"]);
    const parts = partsOf({ log: { jobs, records: records.slice(0, 1) }, disk, step: delivering([]) });
    const offsets = async () => [{ partition: 0, low: 0, high: 3 }];
    await runPass(A, { ...parts, offsets }, NEVER);
    expect([...disk.values()].map(({ belowOffset }) => belowOffset)).toEqual([1]);
  });

  test("decides for a destination once: a change of its configuration lets no job fall between", async () => {
    const disk: Disk = new Map();
    const log = logOf(["a", "a"]);
    const open = partsOf({ log, step: delivering([]) }).destination("a");
    let looks = 0;
    const destination = () => (looks++ === 0 ? open : ({ kind: "gone" } as const));
    const result = await runPass(A, partsOf({ log, disk, step: delivering([]), destination }), NEVER);
    expect(result.taken).toBe(2);
  });

  test.each<[string, DestinationState]>([
    ["gone", { kind: "gone" }],
    ["paused", { kind: "paused", sinceMs: 0, limitMs: undefined }],
  ])(
    "leaves what waits for a destination that is %s, also when somebody asked for it",
    async (_what, state) => {
      for (const wanted of [A, new Map([["a", NOW_MS]])]) {
        const disk: Disk = new Map();
        const parts = partsOf({
          log: logOf(["a", "a"]),
          disk,
          step: delivering([]),
          destination: () => state,
        });
        expect(await runPass(wanted, parts, NEVER)).toEqual({ taken: 0, returned: 0, isPutOff: false });
        expect(disk.size).toBe(0);
      }
    },
  );

  test("passes over what has no key, no destination in it, or no value", async () => {
    const { jobs, records } = logOf(["a", "a", "a", "a", "a"]);
    const changes = [{ key: null }, { key: "a" }, { key: ":0" }, { value: null }, {}];
    const log = { jobs, records: records.map((record, at) => ({ ...record, ...changes[at] })) };
    const seen: DeliveryJob[] = [];
    await runPass(A, partsOf({ log, step: delivering(seen) }), NEVER);
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j4"]);
  });

  test("waits for the room of the webhook that is back; of a destination that was asked for, for one that lets something through", async () => {
    const log = logOf(["a"]);
    const two = endpointOf("two");
    const urls = [endpointOf("one"), two];
    const destination = (): DestinationState => ({ kind: "active", urls, pausedMs: 0, webhooks: new Map() });
    const asked: string[] = [];
    const room = (endpoint: string) => {
      asked.push(endpoint);
      return endpoint === two ? 1 : undefined;
    };
    const parts = partsOf({ log, step: delivering([]), room, destination });
    expect((await runPass(new Map([[two, NOW_MS]]), parts, NEVER)).taken).toBe(1);
    expect(asked).toEqual([two]);
    const requests = { of: () => [requestOf("r")] };
    const bench = { log, step: delivering([]), room, requests, destination };
    const again = partsOf(bench);
    expect((await runPass(new Map([["a", REQUESTED]]), again, NEVER)).taken).toBe(1);
  });

  test("leaves what a destination's own limits let through no sooner for the next pass, and takes what lies behind it", async () => {
    let turns = 2;
    const hasTurn = (id: string): boolean => id === "b" || turns-- > 0;
    const asked = { a: requestOf("r"), b: requestOf("r") };
    const requests = { of: (id: string) => (id === "a" || id === "b" ? [asked[id]] : []) };
    const seen: DeliveryJob[] = [];
    const bench = { log: logOf(["a", "a", "a", "b"]), step: delivering(seen), requests, hasTurn };
    const passed = jest.spyOn(asked.a, "passed");
    const both = new Map([
      ["a", REQUESTED],
      ["b", REQUESTED],
    ]);
    expect(await runPass(both, partsOf(bench), NEVER)).toEqual({ taken: 3, returned: 0, isPutOff: true });
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j0", "j1", "j3"]);
    turns = 0;
    expect(await runPass(both, partsOf(bench), NEVER)).toEqual({ taken: 1, returned: 0, isPutOff: true });
    expect(passed.mock.calls.map(([, { isWhole }]) => isWhole)).toEqual([false, false]);
  });

  test("tells a request how far it is as of when it was asked where the partition ends, one that came later nothing", async () => {
    const requests = [requestOf("r1")];
    const told: unknown[] = [];
    let elapsedMs = 0;
    const host = { ...systemHost, elapsed: () => elapsedMs };
    const parts = partsOf({
      log: logOf(["a"]),
      step: delivering([]),
      host,
      requests: { of: () => [...requests] },
    });
    const passed = jest.spyOn(OpenRequest.prototype, "passed").mockImplementation((place, end) => {
      told.push([place.partition, end]);
    });
    const offsets: typeof parts.offsets = async (topic) => {
      elapsedMs += 5_000;
      requests.push(requestOf("r2"));
      return await parts.offsets(topic);
    };
    await runPass(new Map([["a", REQUESTED]]), { ...parts, offsets }, NEVER);
    expect(told).toEqual([[0, { beganAtMs: 0, inHand: new Set(), isWhole: false }]]);
    passed.mockRestore();
  });

  test.each([
    { what: "retention has removed some of it", from: 1, isHeld: false },
    { what: "the topic's reader has a call in hand that is not over", from: 0, isHeld: true },
  ])("does not say that all of a partition was seen where $what", async ({ from, isHeld }) => {
    const { jobs, records } = logOf(["b", "b", "a"]);
    const wholes: boolean[] = [];
    const passed = jest.spyOn(OpenRequest.prototype, "passed").mockImplementation((_, { isWhole }) => {
      wholes.push(isWhole);
    });
    const held = {
      destinationId: "a",
      offset: 0,
      isDurable: false,
      isOver: false,
      over: async () => undefined,
    };
    const readerJobs = { of: () => (isHeld ? [held] : []), at: () => undefined, mayHaveTaken: () => false };
    const log = { jobs, records: records.filter(({ offset }) => offset >= from && offset < 2) };
    const parts = partsOf({ log, step: delivering([]), requests: { of: () => [requestOf("r")] } });
    const offsets = async () => [{ partition: 0, low: from, high: 2 }];
    await runPass(new Map([["a", REQUESTED]]), { ...parts, offsets, readerJobs: readerJobs as never }, NEVER);
    expect(wholes).toEqual([false]);
    passed.mockRestore();
  });

  test.each([
    ["a", REQUESTED, []],
    [endpointOf("a"), 0, ["j0"]],
  ])(
    "for %s reads no partition in which the request is done, if for nobody else",
    async (key, failedBeforeMs, taken) => {
      const seen: DeliveryJob[] = [];
      const request = requestOf("r1");
      request.done([{ topic: "retry", partition: 0, partitions: 1 }]);
      const parts = partsOf({ log: logOf(["a"]), step: delivering(seen), requests: { of: () => [request] } });
      await runPass(new Map([[key, failedBeforeMs]]), parts, NEVER);
      expect(seen.map(({ jobId }) => jobId)).toEqual(taken);
    },
  );

  test("leaves no cursor where it took nothing, wherever it began", async () => {
    const disk: Disk = new Map();
    const parts = partsOf({
      log: logOf(["a", "a"]),
      disk,
      position: 1,
      step: delivering([]),
      room: () => undefined,
    });
    expect(await runPass(A, parts, NEVER)).toEqual({ taken: 0, returned: 0, isPutOff: false });
    expect(disk.size).toBe(0);
  });

  test("ends when the outcome of the last job that it took is durable", async () => {
    const disk: Disk = new Map();
    const settles: Settle[] = [];
    const step: Step<DeliveryJob> = (_, settle) => void settles.push(settle);
    let hasEnded = false;
    const ended = runPass(A, partsOf({ log: logOf(["a", "a"]), disk, step }), NEVER).finally(() => {
      hasEnded = true;
    });
    await turnsLater(10);
    settles[1]?.({ produce: BACK });
    await turnsLater(10);
    expect([settles.length, hasEnded, disk.size]).toEqual([2, false, 0]);
    settles[0]?.({ produce: [] });
    expect(await ended).toEqual({ taken: 2, returned: 1, isPutOff: false });
    expect([...disk.values()].map(({ belowOffset }) => belowOffset)).toEqual([2]);
  });

  test("whose reading fails rejects; one that is ended by then brings what it took to its end", async () => {
    for (const isEnded of [false, true]) {
      const disk: Disk = new Map();
      const over = new AbortController();
      const parts = partsOf({ log: logOf(["a", "a"]), disk, step: delivering([]) });
      const readRange: typeof parts.readRange = async (range) => {
        await parts.readRange({ ...range, toOffset: 1 });
        if (isEnded) over.abort();
        throw new Error("the broker is away");
      };
      const pass = runPass(A, { ...parts, readRange }, over.signal);
      if (isEnded) expect(await pass).toEqual({ taken: 1, returned: 0, isPutOff: false });
      else await expect(pass).rejects.toThrow("the broker is away");
      expect([...disk.values()].map(({ belowOffset }) => belowOffset)).toEqual(isEnded ? [1] : []);
    }
  });

  test("stops at the first job for which the endpoint lets nothing through", async () => {
    const disk: Disk = new Map();
    let room = 2;
    const step: Step<DeliveryJob> = (_, settle) => {
      room -= 1;
      settle({ produce: BACK });
    };
    const parts = partsOf({ log: logOf(["a", "a", "a", "a"]), disk, step, room: () => room || undefined });
    expect(await runPass(A, parts, NEVER)).toEqual({ taken: 2, returned: 2, isPutOff: false });
    expect([...disk.values()][0]?.belowOffset).toBe(2);
  });

  test("waits for room, and goes on when a job ends", async () => {
    const settles: Settle[] = [];
    const parts = partsOf({
      log: logOf(["a", "a", "a"]),
      step: (_, settle) => void settles.push(settle),
      room: () => 1 - settles.length,
    });
    const ended = runPass(A, parts, NEVER);
    for (let taken = 1; taken <= 3; taken += 1) {
      while (settles.length === 0) await new Promise(setImmediate);
      expect(settles).toHaveLength(1);
      settles.pop()?.({ produce: [] });
    }
    expect((await ended).taken).toBe(3);
  });

  test("takes nothing more of a partition that may be another's, and no cursor goes past what was given back", async () => {
    const disk: Disk = new Map();
    let isOurs = true;
    let taken = 0;
    const step: Step<DeliveryJob> = (_, settle, claim) => {
      taken += 1;
      if (taken < 3) return settle({ produce: [] });
      isOurs = false;
      expect(claim.isOurs).toBe(false);
      claim.giveBack();
    };
    const log = logOf(["a", "a", "a", "a", "a"]);
    await runPass(A, partsOf({ log, disk, step, isOurs: () => isOurs }), NEVER);
    expect(taken).toBe(3);
    expect([...disk.values()][0]?.belowOffset).toBe(2);
  });

  test("a record that cannot be read is left to the topic's reader", async () => {
    const disk: Disk = new Map();
    const log = logOf(["a", "a"]);
    log.jobs.delete(0);
    const result = await runPass(A, partsOf({ log, disk, step: delivering([]) }), NEVER);
    expect(result.taken).toBe(1);
    expect([...disk.values()].map(({ belowOffset }) => belowOffset)).toEqual([2]);
  });

  test("leaves what failed after the endpoint was found well, and takes what was not asked, or failed before", async () => {
    const disk: Disk = new Map();
    const seen: DeliveryJob[] = [];
    const log = logOf(["a", "a", "a", "a"]);
    for (const [offset, failedAtMs] of [NOW_MS, NOW_MS + 1, null, NOW_MS - 1].entries())
      log.jobs.set(offset, { ...(log.jobs.get(offset) as DeliveryJob), failedAtMs });
    const parts = partsOf({ log, disk, step: delivering(seen) });
    await runPass(A, parts, NEVER);
    expect(seen.map(({ jobId }) => jobId)).toEqual(["j0", "j2", "j3"]);
    // Jobs taken behind it are remembered; after a crash they are doubled.
    expect([...disk.values()][0]?.belowOffset).toBe(1);
    expect((await runPass(A, parts, NEVER)).taken).toBe(0);
    const passedOver = log.records.filter((record) =>
      parts.cursors.isTaken({ ...record, destinationId: "a" }),
    );
    expect(passedOver.map(({ offset }) => offset)).toEqual([0, 2, 3]);
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a text", "registry away"],
    ["an error that says nothing of another try", new Error("registry away")],
    ["an error that says so", { code: "registry_unavailable", canRetry: true }],
  ])(
    "leaves what cannot be read, and what follows it, before its cursor where the failure is %s: it passes",
    async (_what, thrown) => {
      const disk: Disk = new Map();
      const parts = partsOf({ log: logOf(["a", "a", "a"]), disk, step: delivering([]) });
      const decode = (record: RawRecord) =>
        record.offset === 1 ? Promise.reject(thrown) : parts.decode(record);
      expect(await runPass(A, { ...parts, decode }, NEVER)).toMatchObject({ taken: 1, returned: 0 });
      expect([...disk.values()].map(({ belowOffset }) => belowOffset)).toEqual([1]);
    },
  );

  test("that is ended early leaves no cursor over what it did not look at", async () => {
    const disk: Disk = new Map();
    const over = new AbortController();
    const step: Step<DeliveryJob> = ({ offset }, settle) => {
      if (offset === 1) over.abort();
      settle({ produce: [] });
    };
    await runPass(A, partsOf({ log: logOf(["a", "a", "a", "a"]), disk, step }), over.signal);
    expect([...disk.values()][0]?.belowOffset).toBe(2);
  });

  test("goes on without a job whose next state is refused; that is written later, and no cursor goes past it before", async () => {
    const disk: Disk = new Map();
    const seen: string[] = [];
    const pauses: (() => void)[] = [];
    let isRefused = true;
    const host = { ...systemHost, delay: () => new Promise<void>((resolve) => void pauses.push(resolve)) };
    const step: Step<DeliveryJob> = ({ offset }, settle) =>
      settle({ produce: offset === 0 ? BACK : [], onDurable: () => seen.push(`${offset} durable`) });
    const write = async () => {
      if (isRefused) throw new Error("refused");
    };
    const bench = { log: logOf(["a", "a"]), disk, step, host, write };
    await runPass(A, partsOf(bench), NEVER);
    expect(seen).toEqual(["1 durable"]);
    expect(disk.size).toBe(0);
    isRefused = false;
    pauses[0]?.();
    await turnsLater(2);
    expect(seen).toEqual(["1 durable", "0 durable"]);
  });

  test("waits for the others that it took when one is written at last that was refused", async () => {
    const settles: Settle[] = [];
    const pauses: (() => void)[] = [];
    let isRefused = true;
    let hasEnded = false;
    const host = { ...systemHost, delay: () => new Promise<void>((resolve) => void pauses.push(resolve)) };
    const write = async () => {
      if (isRefused) throw new Error("refused");
    };
    const step: Step<DeliveryJob> = (_, settle) => void settles.push(settle);
    const parts = partsOf({ log: logOf(["a", "a"]), step, host, write, room: () => 9 });
    const ended = runPass(A, parts, NEVER).finally(() => {
      hasEnded = true;
    });
    await turnsLater(10);
    settles[0]?.({ produce: BACK });
    await turnsLater(10);
    isRefused = false;
    pauses[0]?.();
    await turnsLater(10);
    expect([settles.length, hasEnded]).toEqual([2, false]);
    settles[1]?.({ produce: [] });
    expect(await ended).toEqual({ taken: 2, returned: 1, isPutOff: false });
  });

  test("counts nothing as durable that is refused when the process ends", async () => {
    const disk: Disk = new Map();
    const stopping = new AbortController();
    const durable: string[] = [];
    const step: Step<DeliveryJob> = (_, settle) =>
      settle({ produce: BACK, onDurable: () => durable.push("durable") });
    const write = () => Promise.reject(new Error("closed"));
    const parts = partsOf({ log: logOf(["a"]), disk, step, write });
    stopping.abort();
    await runPass(A, { ...parts, stopping: stopping.signal }, NEVER);
    expect([durable, disk.size]).toEqual([[], 0]);
  });
});

async function turnsLater(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
}

test("what was written by a clock that is ahead is covered by the cursor over it", async () => {
  const log = logOf(["a", "a"]);
  const records = log.records.map((record) => ({ ...record, timestampMs: NOW_MS + 5_000 }));
  const disk: Disk = new Map();
  const step: Step<DeliveryJob> = (_, settle) => settle({ produce: [] });
  const parts = partsOf({ log: { ...log, records }, disk, step });
  await runPass(A, parts, NEVER);
  const next = cursorsOn(disk);
  const isTaken = records.map((record) => next.isTaken({ ...record, destinationId: "a" }));
  expect(isTaken).toEqual([true, true]);
});
