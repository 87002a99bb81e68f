// Which life of each leaf is the newest in any partition: a leaf that was retired and is asked for again begins another one.
import type { Table } from "#kafka";
import type { AudienceProgress } from "#topics";

export class LeafLives {
  /** By the id of the progress. */
  readonly #newest = new Map<string, number>();

  static of(table: Pick<Table<AudienceProgress>, "onChange">): LeafLives {
    const lives = new LeafLives();
    table.onChange((_, progress) => {
      if (progress !== undefined) lives.note(progress);
    });
    return lives;
  }

  note({ generation, id }: Pick<AudienceProgress, "generation" | "id">): void {
    this.#newest.set(id, Math.max(generation, this.#newest.get(id) ?? generation));
  }

  /** Undefined: none is known. */
  newestOf(id: string): number | undefined {
    return this.#newest.get(id);
  }
}
