// The topic's reader and passes beside each other, with the memory of jobs in hand between them, in any order of their steps.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { systemHost } from "#host";
import type { Settle, Step } from "#kafka";
import type { DeliveryJob } from "#topics";
import { cursorsOn, type Disk, endpointOf, type Log, logOf, NOW_MS, partsOf } from "../fixtures/pass.ts";
import { RecentJobs } from "../job/recent-jobs.ts";
import { runPass } from "./pass.ts";
import { ReaderJobs } from "./reader-jobs.ts";

const NEVER = new AbortController().signal;
const A = new Map([[endpointOf("a"), NOW_MS]]);
const turn = () => new Promise(setImmediate);

/** Draws a small number for this run. */
type Draw = (below: number) => number;

interface World {
  readonly log: Log;
  readonly disk: Disk;
  readonly draw: Draw;
  isAlive: boolean;
  /** The number of deliveries of each job. */
  readonly delivered: Map<string, number>;
}

/** Delivers after some turns, or gives back what the reader brought. */
function stepIn(world: World, recent: RecentJobs): Step<DeliveryJob> {
  return ({ decoded: { jobId } }, settle, claim) => {
    const double = { end: () => settle({ produce: [] }), giveBack: () => claim.giveBack() };
    if (!recent.enter(0, jobId, double)) return;
    const isGivenBack = world.draw(4) === 0;
    void turnsLater(world.draw(8)).then(() => {
      if (!world.isAlive) return;
      if (isGivenBack) {
        recent.givenBack(0, jobId);
        claim.giveBack();
        return;
      }
      world.delivered.set(jobId, (world.delivered.get(jobId) ?? 0) + 1);
      settle({ produce: [], onDurable: () => recent.durable(0, jobId) });
    });
  };
}

/** The queue of the topic's partition: takes in order, and takes back. */
function readerIn({ log }: World, follow: (step: Step<DeliveryJob>) => Step<DeliveryJob>) {
  const held = log.records.map(({ offset }) => offset);
  return {
    position: () => held[0] ?? log.records.length,
    takeNext(step: Step<DeliveryJob>, isTaken: (offset: number) => boolean): void {
      const offset = held.shift();
      const record = offset === undefined ? undefined : log.records[offset];
      const decoded = offset === undefined ? undefined : log.jobs.get(offset);
      if (record === undefined || decoded === undefined || isTaken(record.offset)) return;
      const settle: Settle = ({ onDurable }) => onDurable?.();
      const giveBack = () => {
        held.push(record.offset);
        held.sort((a, b) => a - b);
      };
      follow(step)({ ...record, decoded }, settle, { isOurs: true, giveBack });
    },
  };
}

test("no job is passed over that is not delivered, and none is delivered twice in one process, whenever that dies", async () => {
  const ids = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(
      ids,
      fc.infiniteStream(fc.nat({ max: 999 })),
      fc.nat({ max: 80 }),
      async (of, draws, life) => {
        const draw: Draw = (below) => (draws.next().value ?? 0) % below;
        const disk: Disk = new Map();
        const world: World = { log: logOf(of), disk, draw, isAlive: true, delivered: new Map() };
        const recent = new RecentJobs();
        const readerJobs = new ReaderJobs();
        const reader = readerIn(world, (step) => readerJobs.following(step));
        const step = stepIn(world, recent);
        let nowMs = NOW_MS;
        // The interval allows a cursor between any two records; a pass that waits for the reader does not
        // wait long.
        const parts = partsOf({
          log: world.log,
          disk: diskOf(world),
          step,
          position: reader.position,
          readerJobs,
          room: () => 9,
          nowMs: () => (nowMs += 600),
          host: { ...systemHost, setTimeout: (work) => systemHost.setImmediate(work) },
        });
        const isTaken = (offset: number): boolean => {
          const { destinationId = "", jobId = "" } = world.log.jobs.get(offset) ?? {};
          const record = world.log.records[offset];
          const isPassedOver = record !== undefined && parts.cursors.isTaken({ ...record, destinationId });
          if (isPassedOver) expect(world.delivered.has(jobId)).toBe(true);
          return isPassedOver;
        };
        const passing = { isOver: true };
        for (let count = 0; count < life; count += 1) {
          if (draw(3) === 0) reader.takeNext(step, isTaken);
          if (passing.isOver) {
            passing.isOver = false;
            void runPass(A, parts, NEVER).then(() => {
              passing.isOver = true;
            });
          }
          await turn();
        }
        world.isAlive = false;
        const cursors = cursorsOn(disk);
        for (const record of world.log.records) {
          const { destinationId = "", jobId = "" } = world.log.jobs.get(record.offset) ?? {};
          if (cursors.isTaken({ ...record, destinationId })) expect(world.delivered.has(jobId)).toBe(true);
        }
        for (const count of world.delivered.values()) expect(count).toBe(1);
      },
    ),
    { numRuns: 300 },
  );
});

async function turnsLater(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

/** A disk that a dead process no longer writes to. */
function diskOf(world: World): Disk {
  const view: Disk = new Map();
  view.get = (key) => world.disk.get(key);
  view.set = (key, wake) => {
    if (world.isAlive) world.disk.set(key, wake);
    return view;
  };
  Object.defineProperty(view, "size", { get: () => world.disk.size });
  return view;
}
