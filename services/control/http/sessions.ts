// Sessions of browsers: a signed text in a cookie stands for a token until it is twelve hours old or the token is gone (decision 76).
// Nothing is stored, so every process with the same encryption keys knows a session, also after a restart.
import type { ApiToken } from "#runtime";
import type { Signer } from "#secrets";
import { listIn, signedList } from "./signed-list.ts";

export interface Session {
  /** Random; in no list: it tells two sessions of one token apart. */
  readonly id: string;
  /** Unix ms. */
  readonly endsAtMs: number;
}

/** What a session stands for: it ends when the token's text changes, and has the scopes that the token has now. */
type SessionToken = Pick<ApiToken, "name" | "digest">;

export interface Sessions {
  /** `text` is the cookie's value. */
  begin(token: SessionToken): { readonly session: Session; readonly text: string };
  /** The session of a cookie's value and its token, one of `tokens`; undefined when it has ended or was never begun. */
  read<T extends SessionToken>(
    text: string,
    tokens: readonly T[],
  ): { readonly session: Session; readonly token: T } | undefined;
  /** What writes with the session's cookie have to send along: other sites cannot read it. */
  csrfToken(session: Session): string;
  isCsrfToken(session: Session, given: string): boolean;
}

export const SESSION_MS = 12 * 3_600_000;

interface SessionsOptions {
  readonly signer: Signer;
  readonly nowMs: () => number;
  readonly newId: () => string;
}

export function createSessions({ signer, nowMs, newId }: SessionsOptions): Sessions {
  return {
    begin(token) {
      const session = { id: newId(), endsAtMs: nowMs() + SESSION_MS };
      const said = [token.name, session.id, session.endsAtMs];
      return { session, text: signedList(said, signer.sign(signedText(token, session))) };
    },
    read(text, tokens) {
      const { list, signature } = listIn(text);
      const said = saidBy(list);
      const token = tokens.find(({ name }) => name === said?.name);
      if (said === undefined || token === undefined) return undefined;
      const { session } = said;
      if (!signer.verifies(signedText(token, session), signature) || session.endsAtMs <= nowMs())
        return undefined;
      return { session, token };
    },
    csrfToken: (session) => signer.sign(csrfText(session)),
    isCsrfToken: (session, given) => signer.verifies(csrfText(session), given),
  };
}

function signedText({ name, digest }: SessionToken, { id, endsAtMs }: Session): string {
  return JSON.stringify(["session", name, digest.toString("hex"), id, endsAtMs]);
}

function csrfText({ id, endsAtMs }: Session): string {
  return JSON.stringify(["csrf", id, endsAtMs]);
}

/** What a cookie says, whoever wrote it. */
function saidBy([name, id, endsAtMs]: readonly unknown[]):
  | { readonly name: string; readonly session: Session }
  | undefined {
  if (typeof name !== "string" || typeof id !== "string" || typeof endsAtMs !== "number") return undefined;
  return { name, session: { id, endsAtMs } };
}
