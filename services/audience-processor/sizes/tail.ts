// What profiles say of counts that no row has yet; pure.
import type { ProfileMove } from "#topics";

/** The newest batch that has moved somebody in one hour of an audience. */
export interface LastBatch {
  readonly id: string;
  readonly hour: number;
  readonly batch: number;
  readonly entered: number;
  readonly left: number;
  readonly members: number;
}

interface Moved {
  readonly entered: number;
  readonly left: number;
}

interface Found {
  /** One of the batch: each says what was counted before it. */
  readonly move: ProfileMove;
  /** By profile, as its newest record of the batch has it. */
  readonly byKey: Map<string, Moved>;
}

/** Reads the end of a partition's changelog, record after record. */
export class SizesTail {
  readonly #found = new Map<string, Found>();

  read(key: string, moves: readonly ProfileMove[]): void {
    const own = Map.groupBy(moves, ({ batch, computationId, hour }) => `${computationId} ${hour} ${batch}`);
    for (const [move, ...others] of own.values())
      if (move !== undefined) this.#note(key, move, [move, ...others]);
  }

  #note(key: string, move: ProfileMove, all: readonly ProfileMove[]): void {
    const place = `${move.computationId} ${move.hour}`;
    let found = this.#found.get(place);
    if (found !== undefined && found.move.batch > move.batch) return;
    if (found === undefined || found.move.batch < move.batch) found = { move, byKey: new Map() };
    const entered = all.filter(({ by }) => by > 0).length;
    found.byKey.set(key, { entered, left: all.length - entered });
    this.#found.set(place, found);
  }

  /** By batch, the first one first. */
  get batches(): LastBatch[] {
    const all = Array.from(this.#found.values(), ({ byKey, move }): LastBatch => {
      const { batch, computationId: id, hour } = move;
      let [entered, left] = [0, 0];
      for (const one of byKey.values()) {
        entered += one.entered;
        left += one.left;
      }
      return {
        id,
        hour,
        batch,
        entered: move.entered + entered,
        left: move.left + left,
        members: move.members + entered - left,
      };
    });
    return all.sort((one, other) => one.batch - other.batch);
  }
}
