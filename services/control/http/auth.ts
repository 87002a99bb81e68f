// Who may use the API (contract 6.4): holders of a token; without any configured token, programs of this machine.
import { createHash, timingSafeEqual } from "node:crypto";
import { API_SCOPES, type ApiScope, type ApiToken } from "#runtime";
import { LOOPBACK_HOSTS } from "./loopback.ts";
import { ProblemError } from "./problem.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { GivenTicket, Tickets } from "./tickets.ts";

export interface RequestIdentity {
  readonly method: string;
  readonly authorization: string | undefined;
  /** Value of the session's cookie. */
  readonly session: string | undefined;
  /** Of a route that takes tickets. */
  readonly ticket: GivenTicket | undefined;
  readonly csrfToken: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site, which browsers send with every request and no page can set. */
  readonly fetchSite: string | undefined;
}

/**
 * What a caller showed: nothing where no token is configured, a token, or the cookie of a session that was begun with one. A ticket stands
 * for what it was asked for with.
 */
type SignIn =
  | { readonly by: "none" }
  | { readonly by: "token"; readonly digest: Buffer }
  | { readonly by: "session"; readonly digest: Buffer; readonly session: Session };

/** Who sent a request. */
export interface Caller {
  /** The token's, also of a session. */
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  readonly signIn: SignIn;
  /** Of the ticket by which the caller was let in. */
  readonly ticketId?: string;
}

/** Whoever asks where no token is configured. */
export const LOCAL_CALLER: Caller = { name: "local", scopes: API_SCOPES, signIn: { by: "none" } };

/** Throws the problem of a request that may not pass. */
export type Authorise = (request: RequestIdentity) => Caller;

type KnownToken = Pick<ApiToken, "name" | "scopes" | "digest">;

/** What stands for a token. */
export type SignedTexts = Sessions & Tickets;

export function createAuthorise(tokens: readonly KnownToken[], texts: SignedTexts): Authorise {
  if (tokens.length === 0) return requireLocal;
  return (request) => {
    const given = /^Bearer +(\S+)$/i.exec(request.authorization ?? "")?.[1];
    // A proxy may ask browsers for a password of its own, which is in Authorization then.
    if (given !== undefined) return tokenCaller(given, tokens);
    const { ticket } = request;
    // Before the cookie, which a browser sends along unasked.
    return ticket === undefined ? sessionCaller(request, tokens, texts) : ticketCaller(ticket, tokens, texts);
  };
}

function tokenCaller(given: string, tokens: readonly KnownToken[]): Caller {
  // Digests have one length, and all are compared, so the time says nothing about a token.
  const own = digestOf(given);
  const [known] = tokens.filter((token) => timingSafeEqual(token.digest, own));
  if (known === undefined)
    throw new ProblemError("unauthorized", "the bearer token is not one of the configured ones");
  return callerOf(known, { by: "token", digest: known.digest });
}

function callerOf({ name, scopes }: KnownToken, signIn: SignIn): Caller {
  return { name, scopes, signIn };
}

function ticketCaller(ticket: GivenTicket, tokens: readonly KnownToken[], tickets: Tickets): Caller {
  const read = tickets.readTicket(ticket, tokens);
  if (read === "ended")
    throw new ProblemError("unauthorized", "the ticket has expired: ask for a new one by POST …/live/ticket");
  if (read === undefined)
    throw new ProblemError("unauthorized", "the ticket is not for this URL, or its token is gone");
  const { id, session, token } = read;
  const { digest } = token;
  const signIn: SignIn = session === undefined ? { by: "token", digest } : { by: "session", digest, session };
  return { ...callerOf(token, signIn), ticketId: id };
}

function sessionCaller(request: RequestIdentity, tokens: readonly KnownToken[], sessions: Sessions): Caller {
  if (request.session === undefined)
    throw new ProblemError("unauthorized", "send Authorization: Bearer <token>");
  const read = sessions.read(request.session, tokens);
  if (read === undefined)
    throw new ProblemError("unauthorized", "the session has ended: sign in again by POST /v1/session");
  const { session, token } = read;
  requireOwnPage(request, session, sessions);
  return callerOf(token, { by: "session", digest: token.digest, session });
}

/** A browser sends a cookie whichever page makes it ask. Reads of other sites get no answer anyway: SameSite keeps the cookie back. */
function requireOwnPage(request: RequestIdentity, session: Session, sessions: Sessions): void {
  const { csrfToken, fetchSite, method } = request;
  if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none")
    throw new ProblemError(
      "forbidden",
      "a session's cookie is only for pages of the control API's own address",
    );
  if (method === "GET" || method === "HEAD") return;
  if (csrfToken !== undefined && sessions.isCsrfToken(session, csrfToken)) return;
  throw new ProblemError(
    "forbidden",
    "a write by a session's cookie needs the header X-CSRF-Token with session.csrfToken of GET /v1/me",
  );
}

/**
 * Listening on loopback keeps other machines out, but not the pages in this machine's browsers: a page of another origin,
 * or one whose name was rebound to 127.0.0.1, is told apart by its Origin and Host headers. A page's image or link asks without
 * an Origin; the browser says then that another site is behind it.
 */
function requireLocal({ host, origin, fetchSite }: RequestIdentity): Caller {
  const local = host !== undefined && LOOPBACK_HOSTS.has(nameOf(host));
  const sameOrigin = origin === undefined || origin === `http://${host}`;
  if (!local || !sameOrigin || fetchSite === "cross-site") {
    throw new ProblemError(
      "forbidden",
      "without a configured token only programs of this machine are answered",
    );
  }
  return LOCAL_CALLER;
}

function nameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && /^\d+$/.test(host.slice(colon + 1));
  return (hasPort ? host.slice(0, colon) : host).toLowerCase();
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
