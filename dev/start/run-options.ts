import type { Environment, SettingsOf } from "#runtime";
import type { settings as schema } from "./config.ts";
import type { Ending } from "./ending.ts";

export interface RunOptions {
  readonly settings: SettingsOf<typeof schema>;
  readonly environment: Environment;
  /** Whether it begins without what earlier starts have kept. */
  readonly isFresh: boolean;
  readonly say: (line: string) => void;
  readonly ending: Pick<Ending, "onStarted" | "onStopped">;
}

/** One that may read and write, if it is known in full. */
export function ableToken({ api }: RunOptions["settings"]): string | undefined {
  const able = api.tokens.find(
    ({ scopes, text }) => text !== undefined && scopes.includes("read") && scopes.includes("write"),
  );
  return able?.text;
}
