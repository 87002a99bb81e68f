import type { Received } from "#kafka";
import type { DestinationConfig } from "#topics";
import { type Left, takesAudiences } from "./sync.ts";

type Version = Pick<Received<DestinationConfig | undefined>, "key" | "decoded">;

/**
 * By which version destinations were last configured to take no audiences, from every version that is read. A table does not show one that was
 * off and is on again before it was looked at.
 */
export class LeftDestinations {
  readonly #byId = new Map<string, Left>();

  /** In the order of the log. An earlier version than the one known is read again, or was restored: those that count stand behind it. */
  observe({ decoded, key }: Version): void {
    if (decoded === undefined) {
      this.#byId.delete(key ?? "");
      return;
    }
    const { id, updatedAtMs: atMs, version } = decoded;
    if (!takesAudiences(decoded)) this.#byId.set(id, { version, atMs });
    else if (version < (this.of(id)?.version ?? 0)) this.#byId.delete(id);
  }

  of(id: string): Left | undefined {
    return this.#byId.get(id);
  }
}
