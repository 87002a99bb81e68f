// Asks for a token of the control API.
import { useId, useState } from "react";
import { session } from "../api/session.ts";
import { ProblemNote } from "../elements/answer.tsx";
import { submitting } from "../elements/fields.tsx";
import { Page } from "../elements/page.tsx";

export function SignIn() {
  const id = useId();
  const [error, setError] = useState<Error | null>(null);
  const tryToken = async (form: HTMLFormElement): Promise<void> => {
    const given = new FormData(form).get("token");
    setError(null);
    await session.signIn(String(given).trim()).catch(setError);
  };
  return (
    <main className="sign-in">
      <Page title="Sign in">
        {session.owner() !== undefined && (
          <p role="status">
            The session has ended. The page that was open comes back after the sign-in, with what was typed.
          </p>
        )}
        <form onSubmit={submitting((form) => void tryToken(form))}>
          <label htmlFor={id}>Token of the control API</label>
          <input id={id} name="token" type="password" autoComplete="off" required />
          <button type="submit" className="main">
            Sign in
          </button>
        </form>
        {error !== null && <ProblemNote error={error} />}
        <p className="quiet">
          The token is sent once and kept nowhere. A cookie that no script can read stands for it for 12
          hours, or until you sign out.
        </p>
      </Page>
    </main>
  );
}
