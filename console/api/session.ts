// Who the console is signed in as: by a cookie of control that no script can read (decision 76). The token is sent once, to begin the session, and is
// kept nowhere.
import type { components } from "./openapi.generated.ts";
import { ApiProblem, problemOf } from "./problem.ts";

type Me = components["schemas"]["Me"];

const UNAUTHORIZED = 401;

/** Undefined until control has said who asks, and while it answers nobody without a token. */
let me: Me | undefined;
let isRefused = false;
let hasEnded = false;
const listeners = new Set<() => void>();

function become(next: Me | undefined): void {
  me = next;
  isRefused = next === undefined;
  for (const listener of listeners) listener();
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
  /** Whether there was one, which nobody has ended here. */
  hasEnded: (): boolean => hasEnded,
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
  /** Throws an ApiProblem when control does not know the token, or does not answer. */
  async signIn(token: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch("/v1/session", { method: "POST", headers }).catch(() => {
      throw new ApiProblem(0, "control does not answer");
    });
    if (!answer.ok) throw problemOf(answer.status, await bodyOf(answer));
    become((await answer.json()) as Me);
  },
  async signOut(): Promise<void> {
    await fetch("/v1/session", { method: "DELETE", headers: session.headers() }).catch(() => undefined);
    become(undefined);
  },
  /** Control answered 401. */
  refused(): void {
    if (isRefused) return;
    hasEnded = me !== undefined;
    become(undefined);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
