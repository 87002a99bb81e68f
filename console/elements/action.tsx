// A button that changes something: it asks first where it is told to, says what came of it, and has what is shown loaded again.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useRef, useState } from "react";
import type { Schemas } from "../api/client.ts";
import { ProblemNote } from "./answer.tsx";
import { amount } from "./times.ts";

interface ActionProps<T> {
  readonly label: string;
  readonly run: () => Promise<T>;
  /** What is said when it is done. */
  readonly done?: (answer: T) => ReactNode;
  /** Asked before it is run. */
  readonly question?: ReactNode;
  /** What it would touch, which is said beside the question. */
  readonly count?: () => Promise<ReactNode>;
  readonly disabled?: boolean;
}

/** Of control before it knew of dry runs. */
export function tooOld(): Error {
  return new Error("Control did more than count: it is older than this page.");
}

/** The answer to a dry run about calls, in words. */
export function counted(answer: object): string {
  if (!("calls" in answer && "atLeast" in answer)) throw tooOld();
  const { atLeast, calls } = answer as Schemas["DryRun"];
  if (calls === 1) return "1 call is meant.";
  return `${calls === null ? "At least " : ""}${amount(calls ?? atLeast, "call")} are meant.`;
}

/** Counted anew each time that the question is asked. */
function Count({ of: count }: { readonly of: () => Promise<ReactNode> }) {
  const { data, error } = useQuery({ queryKey: ["count", useId()], queryFn: count, gcTime: 0, retry: false });
  if (error !== null) return <ProblemNote error={error} />;
  return <div role="status">{data === undefined ? "Counting …" : data}</div>;
}

export function Action<T>({ label, run, done, question, count, disabled = false }: ActionProps<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [asked, setAsked] = useState(0);
  const queries = useQueryClient();
  const { mutate, data, error, isPending, isSuccess } = useMutation({
    mutationFn: run,
    onSettled: () => queries.invalidateQueries(),
  });
  const begin = (): void => {
    if (question === undefined) mutate();
    else {
      dialog.current?.showModal();
      setAsked((times) => times + 1);
    }
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
          {count !== undefined && asked > 0 && <Count key={asked} of={count} />}
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
