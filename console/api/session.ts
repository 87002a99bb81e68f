// Who the console is signed in as: by a cookie of control that no script can read (decision 76). The token is sent once, to begin the session, and is
// kept nowhere.
import type { components } from "./openapi.generated.ts";
import { ApiProblem, problemOf } from "./problem.ts";

type Me = components["schemas"]["Me"];

const UNAUTHORIZED = 401;

/** Undefined until control has said who asks, and while it answers nobody without a token. */
let me: Me | undefined;
let isRefused = false;
/** Whose the pages are that were opened last: a token's name and what it may do. */
let owner: string | undefined;
const listeners = new Set<() => void>();

function become(next: Me | undefined): void {
  me = next;
  isRefused = next === undefined;
  if (next !== undefined) owner = ownerOf(next);
  for (const listener of listeners) listener();
}

function ownerOf({ name, scopes }: Me): string {
  return [name, ...scopes].join(" ");
}

async function bodyOf(answer: Response): Promise<unknown> {
  return answer.json().catch(() => undefined);
}

export const session = {
  /** Headers that a write needs beside the cookie. */
  headers: (): Record<string, string> =>
    me?.session == null ? {} : { "x-csrf-token": me.session.csrfToken },
  /** Whether control has refused the last request for want of a session or a token. */
  needsSignIn: (): boolean => isRefused,
  /** Who was signed in last, also after the session has ended; undefined once they have signed out. */
  owner: (): string | undefined => owner,
  /** Whether there is one to end. */
  isSignedIn: (): boolean => me?.signIn === "session",
  /** What the token may do; undefined until control has said it. */
  scopes: (): readonly string[] | undefined => me?.scopes,
  /** Asks control who this is. Where it does not answer the pages say so. */
  async begin(): Promise<void> {
    const answer = await fetch("/v1/me").catch(() => undefined);
    if (answer?.ok === true) become((await answer.json()) as Me);
    else if (answer?.status === UNAUTHORIZED) session.refused();
  },
  /** Throws an ApiProblem when control does not know the token, or does not answer. `onOther` comes before another owner's pages are opened. */
  async signIn(token: string, onOther: () => void): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch("/v1/session", { method: "POST", headers }).catch(() => {
      throw new ApiProblem(0, "control does not answer");
    });
    if (!answer.ok) throw problemOf(answer.status, await bodyOf(answer));
    const next = (await answer.json()) as Me;
    if (ownerOf(next) !== owner) onOther();
    become(next);
  },
  async signOut(): Promise<void> {
    await fetch("/v1/session", { method: "DELETE", headers: session.headers() }).catch(() => undefined);
    owner = undefined;
    become(undefined);
  },
  /** Control answered 401. */
  refused(): void {
    if (!isRefused) become(undefined);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
