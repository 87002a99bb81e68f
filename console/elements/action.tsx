// A button that changes something: it asks first where it is told to, says what came of it, and has what is shown loaded again.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import type { Schemas } from "../api/client.ts";
import { ProblemNote } from "./answer.tsx";
import { amount } from "./times.ts";

interface Asked<T> {
  readonly label: string;
  readonly run: () => Promise<T>;
  /** Asked before it is run. */
  readonly question?: ReactNode;
  /** What it would touch, which is said beside the question. */
  readonly count?: (() => Promise<ReactNode>) | undefined;
}

interface ActionProps<T> extends Asked<T> {
  /** What is said when it is done. */
  readonly done?: (answer: T) => ReactNode;
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

/** A page that is hidden, as by the end of a session, closes its question: nothing else could be used beside an open one. */
function show(dialog: HTMLDialogElement) {
  dialog.showModal();
  return () => dialog.close();
}

/** Counted anew each time that the question is asked. */
function Count({ of: count }: { readonly of: () => Promise<ReactNode> }) {
  const { data, error } = useQuery({ queryKey: ["count", useId()], queryFn: count, gcTime: 0, retry: false });
  if (error !== null) return <ProblemNote error={error} />;
  return <div role="status">{data === undefined ? "Counting …" : data}</div>;
}

export function Action<T>({ done, disabled = false, ...now }: ActionProps<T>) {
  const titleId = useId();
  // A question that is open stays the one that was asked, whatever the page learns meanwhile.
  const [asked, setAsked] = useState<Asked<T>>();
  const queries = useQueryClient();
  const { mutate, data, error, isPending, isSuccess } = useMutation({
    mutationFn: ({ run }: Asked<T>) => run(),
    onSettled: () => queries.invalidateQueries(),
  });
  const end = (): void => setAsked(undefined);
  return (
    <div className="action">
      <button
        type="button"
        disabled={disabled || isPending}
        onClick={() => (now.question === undefined ? mutate(now) : setAsked(now))}
      >
        {isPending ? `${now.label} …` : now.label}
      </button>
      {asked !== undefined && (
        <dialog ref={show} aria-labelledby={titleId} onClose={end}>
          <h2 id={titleId}>{asked.label}</h2>
          <div>{asked.question}</div>
          {asked.count !== undefined && <Count of={asked.count} />}
          <div className="row">
            <button
              type="button"
              className="main"
              onClick={() => {
                end();
                mutate(asked);
              }}
            >
              {asked.label}
            </button>
            <button type="button" onClick={end}>
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
