// Saving what a form has changed, and what is to be done where control refuses it.
import { ApiProblem } from "../../../api/problem.ts";
import { ProblemNote } from "../../../elements/answer.tsx";

const CHANGED_MEANWHILE = 412;

interface SaveProps {
  /** Fields. */
  readonly changed: readonly string[];
  readonly isPending: boolean;
  readonly isReadable: boolean;
  readonly isSaved: boolean;
}

export function Save({ changed, isPending, isReadable, isSaved }: SaveProps) {
  return (
    <>
      <button type="submit" className="main" disabled={isPending || !isReadable || changed.length === 0}>
        {isPending ? "Saving …" : "Save"}
      </button>
      <span role="status">
        {changed.length > 0
          ? `Changed: ${changed.join(", ")}`
          : isSaved && "Saved: only differences are sent."}
      </span>
    </>
  );
}

interface RefusedProps {
  readonly error: Error | null;
  readonly reset: () => void;
  readonly reload: () => unknown;
}

export function Refused({ error, reload, reset }: RefusedProps) {
  return (
    <>
      {error !== null && <ProblemNote error={error} />}
      {error instanceof ApiProblem && error.status === CHANGED_MEANWHILE && (
        <button
          type="button"
          onClick={() => {
            reset();
            void reload();
          }}
        >
          Take what is there now, and begin again
        </button>
      )}
    </>
  );
}
