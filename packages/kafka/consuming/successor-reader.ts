import { GroupReader, type GroupReaderOptions } from "./group-reader.ts";
import { type SuccessionParts, succeed } from "./succession.ts";
import type { SupervisorParts } from "./supervisor.ts";

export type SuccessorReaderParts = SupervisorParts & SuccessionParts;

export interface SuccessorReaderOptions extends GroupReaderOptions<unknown> {
  readonly formerGroups: ReadonlyMap<string, string>;
}

/** A member of a group that goes on with the work of others. It joins when these have no member any more. */
export class SuccessorReader extends GroupReader<unknown> {
  readonly #succession: Parameters<typeof succeed>;
  readonly #stopping = new AbortController();

  constructor(parts: SuccessorReaderParts, options: SuccessorReaderOptions) {
    super(parts, options);
    this.#succession = [options, parts, this.#stopping.signal];
  }

  override async start(): Promise<void> {
    await succeed(...this.#succession);
    if (!this.#stopping.signal.aborted) await super.start();
  }

  override async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await super.stop(graceMs);
  }
}
