import type { Sessions } from "../sessions.ts";
import type { TokenAccess } from "../token-file.ts";

/** What the routes of sessions work with. */
export interface SessionParts {
  readonly sessions: Pick<Sessions, "begin" | "csrfToken">;
}

/** What the list of tokens is made of. */
export interface TokenParts {
  readonly tokens: Pick<TokenAccess, "list">;
}
