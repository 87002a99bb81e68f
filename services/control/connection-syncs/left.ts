import type { Received } from "#kafka";
import type { DestinationConfig } from "#topics";
import { takesAudiences } from "./sync.ts";

type Version = Pick<Received<DestinationConfig | undefined>, "key" | "decoded">;

/**
 * When destinations were last configured to take no audiences, from every version that is read. A table does not show one that was off and is
 * on again before it was looked at.
 */
export class LeftDestinations {
  readonly #atMs = new Map<string, number>();

  observe({ decoded, key }: Version): void {
    if (decoded === undefined) this.#atMs.delete(key ?? "");
    else if (!takesAudiences(decoded))
      this.#atMs.set(decoded.id, Math.max(decoded.updatedAtMs, this.atMs(decoded.id) ?? 0));
  }

  atMs(id: string): number | undefined {
    return this.#atMs.get(id);
  }
}
