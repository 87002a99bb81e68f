import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { systemHost } from "#host";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { batchOf, record } from "../fixtures/stub-session.ts";
import type { Claim, Settle } from "../runner-types.ts";
import { Capacity } from "./capacity.ts";
import { type DoneAhead, decodeDoneAhead, encodeDoneAhead, joined } from "./done-ahead.ts";
import { PartitionReader } from "./partition-reader.ts";

const LOG_END = 60;

type Action =
  | { readonly kind: "fetch"; readonly count: number }
  | { readonly kind: "settle" | "give back"; readonly which: number }
  | { readonly kind: "lose"; readonly commitsFirst: boolean; readonly othersDo: number }
  | { readonly kind: "regain" | "open" | "commit" };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("fetch" as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constantFrom("settle" as const, "give back" as const), which: fc.nat({ max: 5 }) }),
  fc.record({
    kind: fc.constant("lose" as const),
    commitsFirst: fc.boolean(),
    othersDo: fc.nat({ max: 2 }),
  }),
  fc.record({ kind: fc.constantFrom("regain" as const, "open" as const, "commit" as const) }),
);

/** A partition's log, the group's commit, another member, and this one's partition reader. */
class World {
  /** Records whose outcome is durable, at any member. */
  readonly done = new Set<number>();
  readonly inHand: { readonly offset: number; readonly settle: Settle; readonly claim: Claim }[] = [];
  committed = 0;
  /** The offsets beyond the commit that it marks as done. */
  ahead: DoneAhead | undefined;
  /** The offsets that commits of this member have marked as done beyond them. */
  readonly #saidDone = new Set<number>();
  #fetchAt = 0;
  #isOurs = true;
  readonly #partitionReader = new PartitionReader<string>(
    { topic: "t", partition: 0 },
    {
      logger: recordingLogger().logger,
      capacity: new Capacity(1_000, 1e9, systemHost),
      host: systemHost,
      setPaused: () => undefined,
      mayBegin: () => true,
      isSure: () => true,
      onSettled: () => undefined,
      onLeft: () => undefined,
      work: {
        decode: () => "",
        step: (stepped, settle, claim) => {
          expect(this.#saidDone).not.toContain(stepped.offset);
          this.inHand.push({ offset: stepped.offset, settle, claim });
        },
        deadLetter: () => [],
        write: async () => undefined,
      },
    },
  );

  constructor() {
    this.#partitionReader.ownAnew();
    this.#partitionReader.open();
  }

  act(given: Action): void {
    if (given.kind === "fetch") this.#fetch(given.count);
    else if (given.kind === "settle" || given.kind === "give back") this.#end(given.which, given.kind);
    else if (given.kind === "lose") this.#lose(given.commitsFirst, given.othersDo);
    else if (given.kind === "regain") this.#regain();
    else if (given.kind === "commit") this.#commit();
    else if (this.#isOurs) this.#partitionReader.open();
  }

  finish(): void {
    this.#regain();
    this.#partitionReader.open();
    this.#fetch(LOG_END);
    while (this.inHand.length > 0) this.#end(0, "settle");
    this.#commit();
    this.#partitionReader.close();
  }

  #fetch(count: number): void {
    if (!this.#isOurs) return;
    const to = Math.min(LOG_END, this.#fetchAt + count);
    const offsets = Array.from({ length: to - this.#fetchAt }, (_, index) => this.#fetchAt + index);
    this.#fetchAt = to;
    this.#partitionReader.offer(batchOf(offsets.map((offset) => record(0, offset))));
  }

  #end(which: number, how: "settle" | "give back"): void {
    const [held] = this.inHand.splice(which % Math.max(1, this.inHand.length), 1);
    if (held === undefined) return;
    if (how === "settle") {
      this.done.add(held.offset);
      held.settle({ produce: [] });
    } else held.claim.giveBack();
  }

  #lose(commitsFirst: boolean, othersDo: number): void {
    if (!this.#isOurs) return;
    if (commitsFirst) this.#commit();
    this.#isOurs = false;
    this.#partitionReader.drop();
    const from = this.committed;
    this.committed = Math.min(LOG_END, from + othersDo);
    for (let offset = from; offset < this.committed; offset += 1) this.done.add(offset);
    // They commit nothing that is not whole, and keep what lies beyond.
    if (this.ahead !== undefined) this.ahead = joined(undefined, this.ahead, this.committed);
  }

  #regain(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    this.#fetchAt = this.committed;
    this.#partitionReader.ownAnew();
    const metadata = encodeDoneAhead(this.ahead, this.committed, 4_096) ?? "";
    this.#partitionReader.place.learn(this.committed, decodeDoneAhead(metadata, this.committed));
  }

  #commit(): void {
    const { committable } = this.#partitionReader.place;
    if (!this.#isOurs || committable === undefined) return;
    expect(committable).toBeGreaterThanOrEqual(this.committed);
    this.committed = committable;
    this.ahead = this.#partitionReader.place.doneAhead();
    for (const { from, to } of this.ahead?.runs ?? [])
      for (let offset = from; offset < to; offset += 1) this.#saidDone.add(offset);
  }
}

test("whatever is lost, regained and given back, nothing is committed that nobody has done, nothing below the group's own place, what a commit says is done is not stepped again, and in the end all is done", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const world = new World();
      for (const each of actions) {
        world.act(each);
        for (let offset = 0; offset < world.committed; offset += 1) expect(world.done).toContain(offset);
        for (const { from, to } of world.ahead?.runs ?? [])
          for (let offset = from; offset < to; offset += 1) expect(world.done).toContain(offset);
      }
      world.finish();
      expect(world.done.size).toBe(LOG_END);
      expect(world.committed).toBe(LOG_END);
    }),
    { numRuns: 1_000 },
  );
});
