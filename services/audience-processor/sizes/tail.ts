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

interface Found {
  /** One of the batch: each says what was counted before it. */
  readonly move: ProfileMove;
  entered: number;
  left: number;
}

/** What the newest records of profiles say, one after the other. */
export class SizesTail {
  readonly #found = new Map<string, Found>();

  read(moves: readonly ProfileMove[]): void {
    for (const move of moves) this.#note(move);
  }

  #note(move: ProfileMove): void {
    const place = `${move.computationId} ${move.hour}`;
    let found = this.#found.get(place);
    if (found !== undefined && found.move.batch > move.batch) return;
    if (found === undefined || found.move.batch < move.batch) found = { move, entered: 0, left: 0 };
    found[move.by > 0 ? "entered" : "left"] += 1;
    this.#found.set(place, found);
  }

  /** By batch, the first one first. */
  get batches(): LastBatch[] {
    const all = Array.from(this.#found.values(), ({ entered, left, move }): LastBatch => {
      const { batch, computationId: id, hour } = move;
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
