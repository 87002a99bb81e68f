// What stands where an answer will be: that it is loading, why it did not come, or the answer.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiProblem } from "../api/problem.ts";
import { Page } from "./page.tsx";
import { Text } from "./text.tsx";

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const SERVER_ERROR = 500;

function titleOf(error: Error): string {
  if (!(error instanceof ApiProblem)) return "This did not work";
  if (error.status === FORBIDDEN) return "Your token does not allow this";
  if (error.status === NOT_FOUND) return "There is none";
  if (error.status === UNAUTHORIZED) return "This token is not known";
  if (error.status >= BAD_REQUEST && error.status < SERVER_ERROR) return "This was refused";
  return error.status === 0 ? "No answer" : "This could not be loaded";
}

interface ProblemNoteProps {
  readonly error: Error;
  readonly retry?: () => unknown;
  /** Label of what calls `retry`. */
  readonly again?: string;
}

export function ProblemNote({ again = "Try again", error, retry }: ProblemNoteProps) {
  const { errors = [], requestId, status } = error instanceof ApiProblem ? error : {};
  const isFault = status !== FORBIDDEN && status !== NOT_FOUND;
  return (
    <div className={isFault ? "note bad" : "note"} role={isFault ? "alert" : "status"}>
      <strong>{titleOf(error)}</strong>
      <p>
        <Text most={1_000}>{error.message}</Text>
      </p>
      {errors.map(({ path, message }) => (
        <p key={`${path} ${message}`}>
          <code>{path}</code> <Text>{message}</Text>
        </p>
      ))}
      {requestId !== undefined && <p className="quiet">Request {requestId}</p>}
      {retry !== undefined && isFault && (
        <button type="button" onClick={() => void retry()}>
          {again}
        </button>
      )}
    </div>
  );
}

export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  );
}

interface AnswerProps<T> {
  /** Of the page, where the answer brings its title: a page has one also while there is none. */
  readonly title?: string;
  readonly query: Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;
  readonly children: (data: T) => ReactNode;
}

/** An answer that is there stays while a later request fails, with the reason above it. */
export function Answer<T>({ title, query: { data, error, refetch }, children }: AnswerProps<T>) {
  if (data === undefined) {
    const note = error === null ? <Loading /> : <ProblemNote error={error} retry={refetch} />;
    return title === undefined ? note : <Page title={title}>{note}</Page>;
  }
  return (
    <>
      {error !== null && <ProblemNote error={error} retry={refetch} />}
      {children(data)}
    </>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="note" role="status">
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  );
}
