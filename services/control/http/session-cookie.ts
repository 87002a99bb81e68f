// The cookie of a session: how it is set, taken back and found again.
import { SESSION_MS } from "./sessions.ts";

/** Headers that say whether the caller's connection is encrypted, which ends before control. */
interface Transport {
  readonly origin?: string | undefined;
  readonly "x-forwarded-proto"?: string | readonly string[] | undefined;
}

export const SESSION_COOKIE = "hookline-session";
/** Browsers take this name only with Secure and from the very host: no other host of the same site can set it. */
const SECURE_COOKIE = `__Host-${SESSION_COOKIE}`;
const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict";

/** The value of Set-Cookie. A caller that claims to be behind TLS is taken at its word: the cookie is its own. */
export function sessionCookie(text: string, transport: Transport): string {
  const isSecure = isForwardedSecurely(transport) || transport.origin?.startsWith("https://") === true;
  const [name, secure] = isSecure ? [SECURE_COOKIE, "; Secure"] : [SESSION_COOKIE, ""];
  return `${name}=${text}; ${ATTRIBUTES}; Max-Age=${SESSION_MS / 1_000}${secure}`;
}

/** Values of Set-Cookie that take it back, under whichever name it was set. */
export function endedCookies(): string[] {
  const ended = `${ATTRIBUTES}; Max-Age=0`;
  return [`${SESSION_COOKIE}=; ${ended}`, `${SECURE_COOKIE}=; ${ended}; Secure`];
}

/** The session's text in a Cookie header. The name that others can set counts only where the connection is not known to be encrypted. */
export function sessionIn(cookies: string | undefined, transport: Transport): string | undefined {
  const names = isForwardedSecurely(transport) ? [SECURE_COOKIE] : [SECURE_COOKIE, SESSION_COOKIE];
  const given = (cookies ?? "").split(";").map((pair) => pair.trim().split("="));
  for (const name of names) {
    const [, value] = given.find(([key]) => key === name) ?? [];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

function isForwardedSecurely({ "x-forwarded-proto": proto }: Transport): boolean {
  const [first = ""] = String(proto ?? "").split(",");
  return first.trim().toLowerCase() === "https";
}
