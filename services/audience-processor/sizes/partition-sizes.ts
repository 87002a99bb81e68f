// How many are in each audience, of one partition of profiles: what has entered and left is counted by the hour in which it was written. Step by
// step, and what a death in between leaves:
//   1. a profile is written with its moves: each says who has entered or left, and what was counted before its batch. Before: nothing has
//      happened, and nothing is counted.
//   2. once the batch is durable it counts. Rows are written some time later. Before: the next owner reads the end of the changelog, takes the
//      newest batch of each hour, and adds its moves to what was counted before it (tail.ts).
//   3. behind the rows a mark says from where on the changelog is to be read. Before: it is read from an earlier place; a row knows its batch.
//   4. a profile is written without the moves that rows have for sure.
// A former owner may write a profile after the partition was taken. Its moves are in no row. It is written again, as what it has to send is due,
// or its event comes again: its moves count then.
import { NO_MOVES, NO_STEPS, type Profile } from "#audiences";
import { UNITS_MS } from "#contract";
import type { AudienceSize, ProfileMove } from "#topics";
import { Days, HOURS_A_DAY, type Hour, newDay } from "./days.ts";
import type { LastBatch } from "./tail.ts";

/** Records of the changelog that a next owner reads for nothing at most, where nobody enters or leaves: some 0.1 s. */
const MARK_EVERY = 10_000;

/** What is to be written: the mark behind the rows. */
export interface Unwritten {
  readonly rows: readonly AudienceSize[];
  readonly mark: AudienceSize;
  /** To be called once the mark is durable. */
  written(): void;
}

export interface PartitionSizesParts {
  readonly partition: number;
  /** Of the partition: the newest day of each audience and the one before it, and the mark. */
  readonly rows: readonly AudienceSize[];
  /** What the end of the changelog says beyond them. */
  readonly batches: readonly LastBatch[];
  /** No owner before has had a batch of this number. */
  readonly leastBatch: number;
  /** Where the changelog ended when they were read. */
  readonly end: number;
  /** Whether it is an audience or list that is there. */
  isCounted(id: string): boolean;
  /** Called when it is durable that there are so many members now. */
  onCounted(id: string, members: number): void;
  nowMs(): number;
}

type Parts = Omit<PartitionSizesParts, "rows" | "batches" | "leastBatch" | "end">;

/** A batch that is being written. */
interface Open {
  readonly batch: number;
  readonly hour: number;
  readonly moved: Map<string, Hour>;
}

export class PartitionSizes {
  readonly #parts: Parts;
  readonly #days: Days;
  /** Batches of former owners that count: those up to this one. What they have written since is of a later one. */
  readonly #counted: number;
  /** Batches of this owner are those behind it. */
  readonly #before: number;
  #batch: number;
  #hour = 0;
  #open: Open | undefined;
  #end: number;
  /** Where the last mark says that the changelog is to be read from; none was written: undefined. */
  #markedTo: number | undefined;
  /** Rows have all batches up to this one. */
  #flushed: number;

  constructor({ batches, end, leastBatch, rows, ...parts }: PartitionSizesParts) {
    this.#parts = parts;
    this.#days = new Days(parts.partition);
    this.#end = end;
    this.#markedTo = rows.find(({ id }) => id === "")?.countedTo;
    for (const row of rows) if (row.id !== "") this.#days.read(row);
    for (const last of batches) this.#recover(last);
    this.#counted = [...rows, ...batches].reduce((most, { batch }) => Math.max(most, batch), 0);
    this.#before = Math.max(leastBatch, this.#counted);
    this.#batch = this.#before;
    this.#flushed = this.#days.areWritten ? this.#batch : 0;
  }

  /** Members that the profiles have, where nobody has counted them, or a version before has written profiles. */
  begin(members: ReadonlyMap<string, number>): void {
    const { batch, hour } = this.#nextBatch();
    const day = Math.floor(hour / HOURS_A_DAY);
    for (const id of new Set([...members.keys(), ...this.#days.ids])) {
      if (!this.#parts.isCounted(id)) continue;
      const known = this.#days.at({ id, day }) ?? newDay();
      this.#days.change({ id, day }, { ...known, batch, members: members.get(id) ?? 0, isBeginning: true });
    }
    this.#flushed = 0;
    this.#markedTo = undefined;
    this.#open = undefined;
  }

  #recover({ batch, entered, hour, id, left, members }: LastBatch): void {
    const day = Math.floor(hour / HOURS_A_DAY);
    const known = this.#days.at({ id, day }) ?? newDay();
    if (known.batch >= batch) return;
    known.hours.set(hour % HOURS_A_DAY, { entered, left });
    this.#days.change({ id, day }, { ...known, batch, members });
  }

  /** Of a profile that is to be written: it keeps its moves with it. Most have none. */
  readonly take = (profile: Profile): void => {
    if (profile.steps === NO_STEPS && profile.moves === NO_MOVES) return;
    const kept = profile.moves.filter(({ batch }) => batch > this.#flushed && !this.#isLate(batch));
    const late = profile.moves.filter(({ batch }) => this.#isLate(batch));
    const moves = [...late, ...profile.steps].flatMap(({ by, computationId }) =>
      this.#parts.isCounted(computationId) ? this.#move(computationId, by) : [],
    );
    profile.steps = NO_STEPS;
    profile.moves = kept.length + moves.length === 0 ? NO_MOVES : [...kept, ...moves];
  };

  /** A former owner has written it after this one had read what there was. */
  #isLate(batch: number): boolean {
    return batch > this.#counted && batch <= this.#before;
  }

  #move(computationId: string, by: number): ProfileMove {
    this.#open ??= this.#nextBatch();
    const { batch, hour, moved } = this.#open;
    const counted = moved.get(computationId) ?? { entered: 0, left: 0 };
    counted[by > 0 ? "entered" : "left"] += 1;
    moved.set(computationId, counted);
    const newest = this.#days.newestOf(computationId);
    const isToday = newest?.day === Math.floor(hour / HOURS_A_DAY);
    const before = (isToday ? newest.of.hours.get(hour % HOURS_A_DAY) : undefined) ?? { entered: 0, left: 0 };
    return { computationId, by, batch, hour, ...before, members: newest?.of.members ?? 0 };
  }

  /** Hours never go back, whatever the clock does: a row of a day that is over stays as it is. */
  #nextBatch(): Open {
    this.#batch += 1;
    this.#hour = Math.max(
      this.#hour,
      hourOf(this.#parts.nowMs()),
      this.#hour > 0 ? 0 : this.#days.lastHour(),
    );
    return { batch: this.#batch, hour: this.#hour, moved: new Map() };
  }

  /** What was taken is not written. */
  drop(): void {
    this.#open = undefined;
  }

  /** The batch is durable, and all later ones will lie from there on in the changelog. */
  count(end: number): void {
    const open = this.#open;
    this.#open = undefined;
    this.#end = end;
    if (open === undefined) return;
    const [day, hour] = [Math.floor(open.hour / HOURS_A_DAY), open.hour % HOURS_A_DAY];
    for (const [id, { entered, left }] of open.moved) {
      const newest = this.#days.newestOf(id);
      const known = newest?.day === day ? newest.of : { ...newDay(), members: newest?.of.members ?? 0 };
      const before = known.hours.get(hour) ?? { entered: 0, left: 0 };
      known.hours.set(hour, { entered: before.entered + entered, left: before.left + left });
      const members = known.members + entered - left;
      this.#days.change({ id, day }, { ...known, batch: open.batch, members });
      this.#parts.onCounted(id, members);
    }
  }

  /** What a former owner has written behind this one's is written over. */
  noticed({ batch, day, id }: AudienceSize): void {
    const known = this.#days.at({ id, day });
    if (known !== undefined && known.batch > batch) this.#days.toWrite({ id, day });
  }

  /** What is to be written now, if there is anything. */
  unwritten(): Unwritten | undefined {
    const isMarked = this.#markedTo !== undefined && this.#end - this.#markedTo < MARK_EVERY;
    if (this.#days.areWritten && isMarked) return undefined;
    const batch = this.#open === undefined ? this.#batch : this.#open.batch - 1;
    const rows = this.#days.takeUnwritten();
    const end = this.#end;
    const mark = { ...this.#days.row({ id: "", day: 0 }, { ...newDay(), batch }), countedTo: end };
    return {
      rows,
      mark,
      written: () => {
        this.#flushed = Math.max(this.#flushed, batch);
        this.#markedTo = end;
        for (const row of rows) this.#days.written(row);
      },
    };
  }

  /** It could not be written. */
  again(rows: readonly AudienceSize[]): void {
    for (const row of rows) this.#days.toWrite(row);
  }
}

function hourOf(atMs: number): number {
  return Math.floor(atMs / UNITS_MS.h);
}
