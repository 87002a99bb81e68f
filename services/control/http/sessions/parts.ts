import type { Sessions } from "../sessions.ts";

/** What the routes of sessions work with. */
export interface SessionParts {
  readonly sessions: Pick<Sessions, "begin" | "csrfToken">;
}
