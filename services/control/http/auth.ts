// Who may use the API (contract 6.4): holders of a token; without any configured token, programs of this machine.
import { createHash, timingSafeEqual } from "node:crypto";
import { API_SCOPES, type ApiScope, type ApiToken } from "#runtime";
import { LOOPBACK_HOSTS } from "./loopback.ts";
import { ProblemError } from "./problem.ts";

interface RequestIdentity {
  readonly authorization: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site, which browsers send with every request and no page can set. */
  readonly fetchSite: string | undefined;
}

/** Who sent a request. */
export interface Caller {
  /** The token's. */
  readonly name: string;
  readonly scopes: readonly ApiScope[];
}

/** Whoever asks where no token is configured. */
export const LOCAL_CALLER: Caller = { name: "local", scopes: API_SCOPES };

/** Throws the problem of a request that may not pass. */
export type Authorise = (request: RequestIdentity) => Caller;

export function createAuthorise(tokens: readonly Pick<ApiToken, "name" | "scopes" | "digest">[]): Authorise {
  if (tokens.length === 0) return requireLocal;
  return ({ authorization }) => {
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined) throw new ProblemError("unauthorized", "send Authorization: Bearer <token>");
    // Digests have one length, and all are compared, so the time says nothing about a token.
    const own = digest(given);
    const [caller] = tokens.filter((known) => timingSafeEqual(known.digest, own));
    if (caller === undefined)
      throw new ProblemError("unauthorized", "the bearer token is not one of the configured ones");
    return caller;
  };
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

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
