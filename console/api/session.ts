// Who the console is signed in as: by a cookie of control that no script can read (decision 76). The token is sent once, to begin the session, and is
// kept nowhere.
import type { components } from "./openapi.generated.ts";
import { ApiProblem, AWAY, problemOf } from "./problem.ts";

type Me = components["schemas"]["Me"];

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Undefined until control has said who asks, and while it answers nobody without a token. */
let me: Me | undefined;
let isRefused = false;
/** Whose the pages are that were opened last: a token's name and what it may do. */
let owner: string | undefined;
/** Counts the owners that came while pages of another were open. */
let pages = 0;
const listeners = new Set<() => void>();
/** Numbers what control is asked. */
let asked = 0;
/** The number of the newest request whose answer said who this is. Answers come in any order; an older one is about a session that was. */
let heard = 0;
/** Tells the other tabs, which have the same cookie. */
const tabs = new BroadcastChannel("session");
tabs.onmessage = () => void session.begin();

function become(next: Me | undefined, at = ++asked): void {
  if (at < heard) return;
  heard = at;
  me = next;
  isRefused = next === undefined;
  if (next !== undefined) {
    const own = ownerOf(next);
    if (owner !== undefined && owner !== own) pages += 1;
    owner = own;
  }
  for (const listener of listeners) listener();
}

function ownerOf({ name, scopes }: Me): string {
  return [name, ...scopes].join(" ");
}

const csrfToken = (): string | undefined => me?.session?.csrfToken;

type Send = (headers: Readonly<Record<string, string>>) => Promise<Response>;

/** With what a write needs beside the cookie. */
function sendWith(token: string | undefined, send: Send): Promise<Response> {
  return send(token === undefined ? {} : { "x-csrf-token": token });
}

async function bodyOf(answer: Response): Promise<unknown> {
  return answer.json().catch(() => undefined);
}

export const session = {
  /** Calls `send`, and again where control refuses what was asked before a session began that is on by now. */
  async read(send: () => Promise<Response>): Promise<Response> {
    const at = ++asked;
    const answer = await send();
    if (answer.status !== UNAUTHORIZED) return answer;
    become(undefined, at);
    return isRefused ? answer : session.read(send);
  },
  /**
   * Calls `send` with the headers of a write; once more where the session is another one by now, which another tab has begun. Not where that is
   * somebody else's: they have asked for nothing.
   */
  async write(send: Send): Promise<Response> {
    const [at, before] = [++asked, { token: csrfToken(), owner }];
    const answer = await sendWith(before.token, send);
    if (answer.status === UNAUTHORIZED) become(undefined, at);
    if (answer.status !== FORBIDDEN) return answer;
    await session.begin();
    const token = csrfToken();
    const isOwn = before.owner === undefined || before.owner === owner;
    return isOwn && token !== undefined && token !== before.token ? sendWith(token, send) : answer;
  },
  /** Whether control has refused the last request for want of a session or a token. */
  needsSignIn: (): boolean => isRefused,
  /** Who was signed in last, also after the session has ended; undefined once they have signed out. */
  owner: (): string | undefined => owner,
  /** Changes when the pages that are open are another owner's. */
  pages: (): number => pages,
  /** Whether there is one to end. */
  isSignedIn: (): boolean => me?.signIn === "session",
  /** What the token may do; undefined until control has said it. */
  scopes: (): readonly string[] | undefined => me?.scopes,
  /** Asks control who this is. Where it does not answer the pages say so. */
  async begin(): Promise<void> {
    const at = ++asked;
    const answer = await fetch("/v1/me").catch(() => undefined);
    if (answer?.ok === true) become((await answer.json()) as Me, at);
    else if (answer?.status === UNAUTHORIZED) become(undefined, at);
  },
  /** Throws an ApiProblem when control does not know the token, or does not answer. */
  async signIn(token: string): Promise<void> {
    if (/[^\x21-\x7e]/.test(token))
      throw new ApiProblem(UNAUTHORIZED, "it has a character that no token has");
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch("/v1/session", { method: "POST", headers }).catch(() => {
      throw new ApiProblem(0, AWAY);
    });
    if (!answer.ok) throw problemOf(answer.status, await bodyOf(answer));
    become((await answer.json()) as Me);
    tabs.postMessage(null);
  },
  /** Throws an ApiProblem when control does not end the session. */
  async signOut(): Promise<void> {
    const request = session.write((headers) => fetch("/v1/session", { method: "DELETE", headers }));
    const answer = await request.catch(() => {
      throw new ApiProblem(0, AWAY);
    });
    if (!answer.ok && answer.status !== UNAUTHORIZED) throw problemOf(answer.status, await bodyOf(answer));
    owner = undefined;
    become(undefined);
    tabs.postMessage(null);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
