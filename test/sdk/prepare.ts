// Compiles and installs what a suite's SDKs need while the suite does something else.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sdk, Send } from "./sdk.ts";

export interface PreparedSdks {
  /** The suite's own: what Go compiled is in it. */
  readonly folder: string;
  /** Rejects when it could not be prepared. */
  readonly of: (sdk: Sdk) => Promise<Send>;
  readonly remove: () => Promise<void>;
}

/** Begins with all of them at once. */
export async function prepareSdks(sdks: readonly Sdk[]): Promise<PreparedSdks> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-sdks-"));
  const prepared = new Map(sdks.map((sdk) => [sdk, sdk.prepare(folder)]));
  // What fails before it is asked for is reported by the test that asks.
  for (const each of prepared.values()) each.catch(() => undefined);
  return {
    folder,
    of: async (sdk) => {
      const send = await prepared.get(sdk);
      if (send === undefined) throw new Error(`${sdk.name} is not prepared`);
      return send;
    },
    async remove() {
      await Promise.allSettled(prepared.values());
      await rm(folder, { recursive: true, force: true });
    },
  };
}
