import { describe, expect, test } from "@jest/globals";
import type { Step } from "#kafka";
import { type DeliveryJob, deliveryKey } from "#topics";
import { endpointOf, logOf, NOW_MS, partsOf, wakerOf } from "../fixtures/pass.ts";

const ENDPOINT = endpointOf("a");
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

type Fate = "taken" | "failed" | "put off";

/** An endpoint that is back, and does so with each call that comes; those that it does not take wait again, at the end of the log. */
function endpoint(fateOf: (asked: number) => Fate, waiting = 200) {
  const log = logOf(Array(waiting).fill("a"));
  let nowMs = NOW_MS;
  let asked = 0;
  const attempts = new Map<string, number>();
  const waitAgain = (job: DeliveryJob, failedAtMs: number | null) => {
    const offset = log.records.length;
    log.jobs.set(offset, { ...job, failedAtMs, dueAtMs: nowMs + 60_000 });
    const place = { topic: "retry", partition: 0, offset, timestampMs: nowMs };
    log.records.push({ ...place, key: deliveryKey(job), value: Buffer.alloc(1) });
  };
  const step: Step<DeliveryJob> = ({ decoded }, settle) => {
    nowMs += 10;
    asked += 1;
    attempts.set(decoded.jobId, (attempts.get(decoded.jobId) ?? 0) + 1);
    const fate = fateOf(asked);
    if (fate === "taken") return settle({ produce: [] });
    waitAgain(decoded, fate === "failed" ? nowMs : null);
    settle({ produce: [{ topic: "retry", key: "k", value: Buffer.alloc(1) }] });
  };
  const host = {
    setTimeout: () => ({ clear: () => undefined }),
    delay: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const { looks, waker } = wakerOf(partsOf({ log, step, host, nowMs: () => nowMs }));
  return { attempts, log, looks, waitAgain, waker, now: () => nowMs };
}

const oneInTenFails = () => endpoint((asked) => (asked % 10 === 0 ? "failed" : "taken"));

test("what waited when the endpoint came back is asked once; what fails then keeps its schedule, and waking ends", async () => {
  const { attempts, looks, waker } = oneInTenFails();
  waker.recovered(ENDPOINT);
  await turns(2_000);
  expect(attempts.size).toBe(200);
  expect([...attempts.values()].every((count) => count === 1)).toBe(true);
  const looked = looks();
  expect(looked).toBeLessThanOrEqual(3);
  await turns(500);
  expect(looks()).toBe(looked);
  await waker.stop(0);
});

test("room at an endpoint wakes what was put off without being asked, and not what failed", async () => {
  const { attempts, log, now, waitAgain, waker } = oneInTenFails();
  waker.recovered(ENDPOINT);
  await turns(2_000);
  const failed = log.records.slice(200).map(({ offset }) => log.jobs.get(offset)?.jobId);
  waitAgain({ ...(log.jobs.get(0) as DeliveryJob), jobId: "put off" }, null);
  expect(failed.length).toBeGreaterThan(10);
  waker.hasRoom(ENDPOINT);
  await turns(500);
  expect(attempts.get("put off")).toBe(1);
  for (const jobId of failed) expect(attempts.get(jobId ?? "")).toBe(1);
  // Down once more, and back: then they failed before it was found well.
  expect(now()).toBeGreaterThan(NOW_MS);
  waker.recovered(ENDPOINT);
  await turns(2_000);
  for (const jobId of failed) expect(attempts.get(jobId ?? "")).toBe(2);
  await waker.stop(0);
});

test("waking ends when all that a pass takes comes back without having been asked", async () => {
  const { attempts, looks, waker } = endpoint(() => "put off");
  waker.recovered(ENDPOINT);
  await turns(500);
  const looked = looks();
  await waker.stop(0);
  expect(looked).toBe(1);
  // Eleven calls may come back before the others are left alone.
  expect([...attempts.values()]).toEqual(Array(11).fill(1));
});

test("a pass of which one call was taken is followed by another, and one that takes no more than comes back by none", async () => {
  const { attempts, looks, waker } = endpoint((asked) => (asked === 1 ? "taken" : "put off"), 8);
  waker.recovered(ENDPOINT);
  await turns(500);
  const looked = looks();
  await waker.stop(0);
  expect(looked).toBe(2);
  expect([...attempts.values()]).toEqual([1, ...Array(7).fill(2)]);
});

describe("a pass that waits for room", () => {
  function withoutRoom() {
    const timers: { readonly work: () => void; readonly ms: number }[] = [];
    const host = {
      setTimeout(work: () => void, ms: number) {
        timers.push({ work, ms });
        return { clear: () => undefined };
      },
      // No rest and no grace is over by itself.
      async delay(_ms: number, signal?: AbortSignal) {
        const { promise, reject } = Promise.withResolvers<void>();
        if (signal?.aborted === true) throw signal.reason;
        signal?.addEventListener("abort", () => reject(signal.reason));
        await promise;
      },
    };
    const { waker } = wakerOf(partsOf({ log: logOf(["a"]), step: () => undefined, host, room: () => 0 }));
    const lookForRoom = async () => {
      for (const { work, ms } of timers.splice(0)) if (ms === 20) work();
      await turns(5);
    };
    return { lookForRoom, timers, waker };
  }

  test("ends with the process", async () => {
    const { lookForRoom, waker } = withoutRoom();
    waker.found(ENDPOINT);
    await turns(5);
    let hasStopped = false;
    const stopped = waker.stop(1_000).then(() => {
      hasStopped = true;
    });
    await turns(5);
    expect(hasStopped).toBe(false);
    await lookForRoom();
    await stopped;
  });

  test("makes way after ten seconds", async () => {
    const { lookForRoom, timers, waker } = withoutRoom();
    waker.found(ENDPOINT);
    await turns(5);
    const [pass] = timers.filter(({ ms }) => ms === 10_000);
    pass?.work();
    await lookForRoom();
    await lookForRoom();
    // Nobody waits for room any more.
    expect(timers).toEqual([]);
    void waker.stop(0);
  });
});
