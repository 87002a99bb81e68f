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
