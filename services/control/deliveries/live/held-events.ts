// The last events of one source or destination, each with an id: whoever comes back with the last id that they had gets the rest. Pure.

export interface HeldEvent {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
  /** Of what happened between the event before and this one. */
  readonly leftOut: LeftOut;
}

/** What nobody is told but in number: events beyond the rate, and records that were not looked at. */
export interface LeftOut {
  readonly events: number;
  readonly records: number;
}

export interface Missed {
  /** How many are held no more; null where nobody knows: the id is of another run or of no run at all. */
  readonly missed: number | null;
  readonly events: readonly HeldEvent[];
  /** Behind the last of them. */
  readonly leftOut: LeftOut;
}

const NOTHING: LeftOut = { events: 0, records: 0 };
const ID = /^(.+)\.(\d{1,15})$/;

export class HeldEvents {
  readonly #run: string;
  readonly #mostCharacters: number;
  #events: HeldEvent[] = [];
  #characters = 0;
  #count = 0;
  #leftOut: LeftOut = NOTHING;

  /** `run`: of this list alone; `mostCharacters`: of the data that is held. */
  constructor(run: string, mostCharacters: number) {
    this.#run = run;
    this.#mostCharacters = mostCharacters;
  }

  /** Of the last event, or of the time before the first one. */
  get lastId(): string {
    return `${this.#run}.${this.#count}`;
  }

  add(name: string, data: string): HeldEvent {
    this.#count += 1;
    const event = { id: this.lastId, name, data, leftOut: this.#leftOut };
    this.#leftOut = NOTHING;
    this.#events.push(event);
    this.#characters += data.length;
    while (this.#characters > this.#mostCharacters && this.#events.length > 0)
      this.#characters -= this.#events.shift()?.data.length ?? 0;
    return event;
  }

  leaveOut({ events, records }: LeftOut): void {
    this.#leftOut = { events: this.#leftOut.events + events, records: this.#leftOut.records + records };
  }

  /** Everything behind the event with this id. */
  since(lastId: string): Missed {
    const [, run, count] = ID.exec(lastId) ?? [];
    const seen = Number(count);
    if (run !== this.#run || seen > this.#count) return { missed: null, events: [], leftOut: NOTHING };
    const later = this.#count - seen;
    const events = later === 0 ? [] : this.#events.slice(-later);
    return { missed: later - events.length, events, leftOut: this.#leftOut };
  }
}
