// Who the console is signed in as. The token lives in this module's memory alone, never in storage: a page that is loaded again asks again.
// A session of control, with its cookie, plugs in here: `authorisation` then gives nothing, and `signIn` makes the session.
import { ApiProblem, problemOf } from "./problem.ts";

const UNAUTHORIZED = 401;
/** Any token that control knows may ask it; one without the scope gets another refusal. */
const TRIED = "/v1/reasons";

let token: string | undefined;
let isRefused = false;
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

export const session = {
  /** Value of the Authorization header; undefined where no token was entered, as on loopback, where none may be needed. */
  authorisation: (): string | undefined => (token === undefined ? undefined : `Bearer ${token}`),
  /** Whether control has refused the last request for want of a token, or of one that it knows. */
  needsSignIn: (): boolean => isRefused,
  hasToken: (): boolean => token !== undefined,
  /** Tries the token. Throws an ApiProblem when control does not know it, or does not answer. */
  async signIn(given: string): Promise<void> {
    const headers = { authorization: `Bearer ${given}` };
    const answer = await fetch(TRIED, { headers }).catch(() => {
      throw new ApiProblem(0, "control does not answer");
    });
    if (answer.status === UNAUTHORIZED)
      throw problemOf(answer.status, await answer.json().catch(() => undefined));
    token = given;
    isRefused = false;
    changed();
  },
  signOut(): void {
    token = undefined;
    isRefused = true;
    changed();
  },
  /** Control answered 401. */
  refused(): void {
    if (isRefused) return;
    token = undefined;
    isRefused = true;
    changed();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
