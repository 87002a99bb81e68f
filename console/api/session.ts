// Who the console is signed in as. The token lives in this module's memory alone, never in storage: a page that is loaded again asks again.
// A session of control, with its cookie, plugs in here: `authorisation` then gives nothing, and `signIn` makes the session.

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
  signIn(given: string): void {
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
