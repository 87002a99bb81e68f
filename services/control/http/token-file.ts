// Tokens that come from a file follow it while the process runs, so that one is given or taken away without a restart
// (decision 76).
import type { Host } from "#host";
import type { ApiToken, Lifecycle, Logger, ReadAgain } from "#runtime";
import { type Authorise, createAuthorise, type SignedTexts } from "./auth.ts";

interface Tokens {
  readonly tokens: readonly ApiToken[];
}

interface TokenFileOptions {
  readonly host: Pick<Host, "setInterval">;
  readonly lifecycle: Pick<Lifecycle, "onStop">;
  readonly logger: Pick<Logger, "info" | "error">;
  readonly sessions: SignedTexts;
  /** A token is gone, or allows something else than before. */
  readonly onRevoked: () => void;
}

type Seen = Tokens | { readonly problem: string };

/** Polled, because a secret that Kubernetes mounts is a link whose target is exchanged, which a watch of the file misses. */
const LOOK_EVERY_MS = 2_000;

export interface TokenAccess {
  readonly authorise: Authorise;
  /** The tokens of now, without what they are; none where none is configured. */
  readonly list: () => readonly Pick<ApiToken, "name" | "scopes">[];
}

/**
 * Lets in whom the tokens of now let in. A change counts once two looks have seen the same, because a file may be half written. One
 * that cannot be read, or has no token any more, leaves the tokens of before and is told in the log, once.
 */
export function followTokens(settings: Tokens & ReadAgain<Tokens>, options: TokenFileOptions): TokenAccess {
  const { again } = settings;
  const { host, lifecycle, logger, onRevoked, sessions } = options;
  let current = settings.tokens;
  let authorise = createAuthorise(current, sessions);
  const list = () => current.map(({ name, scopes }) => ({ name, scopes }));
  if (again === undefined) return { authorise, list };
  let seen = textOf(settings);
  let acted = seen;
  const look = (): void => {
    const found = read(again(), current);
    const before = seen;
    seen = textOf(found);
    if (seen !== before || seen === acted) return;
    acted = seen;
    if ("problem" in found) {
      logger.error({ problem: found.problem }, "the tokens cannot be read again: those of before stay");
      return;
    }
    const isRevoking = isOneMissing(current, found.tokens);
    current = found.tokens;
    authorise = createAuthorise(current, sessions);
    logger.info({ tokens: current.map(({ name }) => name) }, "the tokens were read again");
    if (isRevoking) onRevoked();
  };
  const timer = host.setInterval(look, LOOK_EVERY_MS);
  lifecycle.onStop("token file", () => timer.clear());
  return { authorise: (request) => authorise(request), list };
}

function read(reading: ReturnType<NonNullable<ReadAgain<Tokens>["again"]>>, current: Tokens["tokens"]): Seen {
  if ("problems" in reading)
    return { problem: reading.problems.map(({ env, problem }) => `${env} ${problem}`).join("; ") };
  // Without any token the API would answer whoever is on this machine, or says so.
  if (reading.value.tokens.length === 0 && current.length > 0)
    return { problem: "HOOKLINE_API_TOKENS names no token" };
  return reading.value;
}

function lineOf({ digest, name, scopes }: ApiToken): string {
  return `${name}:${scopes.join("+")}:${digest.toString("hex")}`;
}

function textOf(seen: Seen): string {
  return "problem" in seen ? seen.problem : seen.tokens.map(lineOf).join();
}

function isOneMissing(before: Tokens["tokens"], after: Tokens["tokens"]): boolean {
  const kept = new Set(after.map(lineOf));
  return before.some((token) => !kept.has(lineOf(token)));
}
