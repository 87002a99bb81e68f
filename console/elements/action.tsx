// A button that changes something: it asks first where it is told to, says what came of it, and has what is shown loaded again.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useRef } from "react";
import { ProblemNote } from "./answer.tsx";

interface ActionProps<T> {
  readonly label: string;
  readonly run: () => Promise<T>;
  /** What is said when it is done. */
  readonly done?: (answer: T) => ReactNode;
  /** Asked before it is run. */
  readonly question?: ReactNode;
  readonly disabled?: boolean;
}

export function Action<T>({ label, run, done, question, disabled = false }: ActionProps<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const queries = useQueryClient();
  const { mutate, data, error, isPending, isSuccess } = useMutation({
    mutationFn: run,
    onSettled: () => queries.invalidateQueries(),
  });
  const begin = (): void => {
    if (question === undefined) mutate();
    else dialog.current?.showModal();
  };
  const confirm = (): void => {
    dialog.current?.close();
    mutate();
  };
  return (
    <div className="action">
      <button type="button" disabled={disabled || isPending} onClick={begin}>
        {isPending ? `${label} …` : label}
      </button>
      {question !== undefined && (
        <dialog ref={dialog} aria-labelledby={titleId}>
          <h2 id={titleId}>{label}</h2>
          <div>{question}</div>
          <div className="row">
            <button type="button" className="main" onClick={confirm}>
              {label}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </dialog>
      )}
      <div role="status">{isSuccess && (done?.(data) ?? "Done.")}</div>
      {error !== null && <ProblemNote error={error} />}
    </div>
  );
}
