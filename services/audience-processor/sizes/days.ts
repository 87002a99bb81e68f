// How many are in each audience at the end of each day, and who has entered and left by the hour, of one partition; and which of these days are
// not written yet. Of days before an audience's newest it has only what is not written.
import type { AudienceSize } from "#topics";

export const HOURS_A_DAY = 24;

export interface Hour {
  entered: number;
  left: number;
}

export interface Day {
  batch: number;
  members: number;
  readonly isBeginning: boolean;
  readonly hours: Map<number, Hour>;
}

export interface DayPlace {
  readonly id: string;
  readonly day: number;
}

export class Days {
  readonly #partition: number;
  readonly #days = new Map<string, Map<number, Day>>();
  readonly #unwritten = new Map<string, DayPlace>();

  constructor(partition: number) {
    this.#partition = partition;
  }

  get ids(): Iterable<string> {
    return this.#days.keys();
  }

  get areWritten(): boolean {
    return this.#unwritten.size === 0;
  }

  at({ day, id }: DayPlace): Day | undefined {
    return this.#days.get(id)?.get(day);
  }

  newestOf(id: string): { readonly day: number; readonly of: Day } | undefined {
    let newest: { readonly day: number; readonly of: Day } | undefined;
    for (const [day, of] of this.#days.get(id) ?? [])
      if (newest === undefined || day > newest.day) newest = { day, of };
    return newest;
  }

  /** The last hour of all days, since 1970. */
  lastHour(): number {
    let last = 0;
    for (const days of this.#days.values())
      for (const [day, { hours }] of days)
        last = Math.max(
          last,
          day * HOURS_A_DAY,
          ...[...hours.keys()].map((hour) => day * HOURS_A_DAY + hour),
        );
    return last;
  }

  /** As a row has it. */
  read({ batch, day, hours, id, isBeginning, members }: AudienceSize): void {
    const read = new Map(hours.map(({ entered, hour, left }) => [hour, { entered, left }]));
    this.#put({ id, day }, { batch, members, isBeginning, hours: read });
  }

  /** It has changed, and is to be written. */
  change(place: DayPlace, of: Day): void {
    this.#put(place, of);
    this.toWrite(place);
  }

  /** It is to be written, as it is by then. */
  toWrite({ day, id }: DayPlace): void {
    this.#unwritten.set(`${id} ${day}`, { id, day });
  }

  /** The rows to be written; they are not listed again. */
  takeUnwritten(): AudienceSize[] {
    const taken = [...this.#unwritten.values()];
    this.#unwritten.clear();
    return taken.flatMap((place) => {
      const of = this.at(place);
      return of === undefined ? [] : this.row(place, of);
    });
  }

  row({ day, id }: DayPlace, { batch, hours, isBeginning, members }: Day): AudienceSize {
    return {
      id,
      partition: this.#partition,
      day,
      batch,
      countedTo: 0,
      members,
      isBeginning,
      hours: Array.from(hours, ([hour, { entered, left }]) => ({ hour, entered, left })),
    };
  }

  /** A day that is over is not kept once it is written. */
  written({ day, id }: DayPlace): void {
    const newest = this.newestOf(id);
    if (newest !== undefined && newest.day > day) this.#days.get(id)?.delete(day);
  }

  #put({ day, id }: DayPlace, of: Day): void {
    const days = this.#days.get(id) ?? new Map<number, Day>();
    this.#days.set(id, days.set(day, of));
  }
}

export function newDay(): Day {
  return { batch: 0, members: 0, isBeginning: false, hours: new Map() };
}
