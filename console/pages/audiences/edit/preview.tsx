// Who would be in the audience that the form describes, or have a value of the computed trait, asked once nobody types any more.
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { answerOf, api, type Schemas } from "../../../api/client.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { Loading, ProblemNote } from "../../../elements/answer.tsx";
import { nodeIn } from "../../../elements/conditions/conditions-field.tsx";
import { Why } from "../../../elements/conditions/why.tsx";
import { Table, type TableProps } from "../../../elements/table.tsx";
import { Text } from "../../../elements/text.tsx";
import { Time } from "../../../elements/time.tsx";
import { amount, longDuration } from "../../../elements/times.ts";
import { UserLink } from "../../../elements/user-link.tsx";

type Answer = Schemas["PreviewAudienceAnswer"];
type TraitAnswer = Schemas["TraitPreview"];
type Counted = Omit<TraitAnswer, "sample"> & Partial<Pick<Answer, "unknownAudiences">>;

const SETTLED_MS = 600;
const REFUSED = 422;

/** The value once it has not changed for a moment: control looks at up to 20,000 profiles for an answer. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** `text` is the definition as JSON; `ask` is asked again for another `key`. */
function useAsked<T>(
  key: readonly unknown[],
  text: string,
  ask: (definition: unknown, signal: AbortSignal) => Promise<T>,
) {
  const settled = useSettled(text);
  return useQuery({
    queryKey: [...key, settled],
    queryFn: ({ signal }) => ask(JSON.parse(settled), signal),
    enabled: nodeIn(settled) !== undefined,
    placeholderData: keepPreviousData,
    ...{ retry: false, refetchOnWindowFocus: false, staleTime: 60_000 },
  });
}

export function usePreview(text: string, includeAnonymous: boolean) {
  return useAsked<Answer>(["preview", includeAnonymous], text, (definition, signal) =>
    answerOf(api.POST("/v1/audiences/preview", { body: { definition, includeAnonymous }, signal })),
  );
}

/** The same of a computed trait. */
export function useTraitPreview(text: string) {
  return useAsked<TraitAnswer>(["trait-preview"], text, (definition, signal) =>
    answerOf(api.POST("/v1/computed-traits/preview", { body: { definition }, signal })),
  );
}

/** Fields of the definition that control refuses, each once: in the preview, and when it was saved. */
export function definitionProblems(...errors: readonly (Error | null)[]): ApiProblem["errors"] {
  const all = errors.flatMap((error) => (error instanceof ApiProblem ? error.errors : []));
  return all.filter(
    ({ message, path }, at) =>
      path.startsWith("definition") &&
      all.findIndex((one) => one.path === path && one.message === message) === at,
  );
}

function countLine(
  { countError, estimatedCount, exact, profiles, profilesLookedAt }: Counted,
  what: string,
): string {
  const [members, all, looked] = [estimatedCount, profiles, profilesLookedAt].map((one) =>
    one.toLocaleString("en"),
  );
  if (exact) return `${members} of ${all} profiles would ${what}.`;
  const error = countError === null ? "" : `, give or take ${countError.toLocaleString("en")}`;
  return `About ${members} of ${all} profiles would ${what}${error}: ${looked} were looked at.`;
}

function Count({ of: answer, what }: { readonly of: Counted; readonly what: string }) {
  const { preparation, unknownAudiences = [], unknownCalls } = answer;
  return (
    <>
      <p role="status">{countLine(answer, what)}</p>
      {unknownCalls.length > 0 && (
        <p className="note">
          Not known from profiles, and counted as not made: <Text most={500}>{unknownCalls.join(", ")}</Text>
        </p>
      )}
      {unknownAudiences.length > 0 && (
        <p className="note">
          Not every member is known, and others count as none: <Text>{unknownAudiences.join(", ")}</Text>
        </p>
      )}
      {preparation !== null && (
        <p className="quiet">
          Preparing it reads {amount(preparation.eventsToRead, "event")} again,{" "}
          {longDuration(preparation.seconds)} for one process.
        </p>
      )}
    </>
  );
}

interface SampledProps<R> extends Pick<TableProps<R>, "caption" | "columns" | "keyOf"> {
  readonly of: Counted & { readonly sample: readonly R[] };
  readonly what: string;
}

function Sampled<R>({ of, what, ...table }: SampledProps<R>) {
  return (
    <>
      <Count of={of} what={what} />
      {of.sample.length > 0 && <Table {...table} rows={of.sample} />}
    </>
  );
}

function Members({ of }: { readonly of: Answer }) {
  return (
    <Sampled
      of={of}
      what="be members"
      caption="Some members"
      keyOf={({ anonymousId, groupId, userId }) => `${userId} ${anonymousId} ${groupId}`}
      columns={[
        { title: "Of", cell: (ids) => <UserLink {...ids} /> },
        { title: "Why", cell: ({ why }) => <Why of={why} /> },
      ]}
    />
  );
}

function Values({ of }: { readonly of: TraitAnswer }) {
  return (
    <Sampled
      of={of}
      what="have a value"
      caption="Some values"
      keyOf={({ groupId, userId }) => `${userId} ${groupId}`}
      columns={[
        { title: "Of", cell: (ids) => <UserLink {...ids} /> },
        { title: "Value", cell: ({ value }) => <Text most={200}>{JSON.stringify(value)}</Text> },
        { title: "Made of", cell: (row) => <MadeOf of={row} /> },
      ]}
    />
  );
}

function MadeOf({
  of: { calls, firstAt, isOverflowing, lastAt, until },
}: {
  readonly of: TraitAnswer["sample"][number];
}) {
  return (
    <>
      {calls === undefined ? "calls" : amount(calls, "call")}
      {firstAt !== undefined && firstAt !== lastAt && (
        <>
          , from <Time at={firstAt} />
        </>
      )}
      {lastAt !== undefined && (
        <>
          , the last <Time at={lastAt} />
        </>
      )}
      {until !== undefined && (
        <>
          ; changes by itself <Time at={until} />
        </>
      )}
      {isOverflowing === true && "; more than a profile keeps"}
    </>
  );
}

interface AskedProps<T> {
  readonly of: Pick<UseQueryResult<T>, "data" | "error" | "isFetching" | "refetch">;
  readonly title: string;
  readonly children: (data: T) => ReactNode;
}

function Asked<T>({ children, of: { data, error, isFetching, refetch }, title }: AskedProps<T>) {
  const isRefused = error instanceof ApiProblem && error.status === REFUSED;
  return (
    <section aria-label="Preview" aria-busy={isFetching}>
      <h2>{title}</h2>
      {isFetching && data === undefined && <Loading />}
      {error !== null && !isRefused && <ProblemNote error={error} retry={refetch} />}
      {isRefused ? <p>Not to be said of what is marked above.</p> : data !== undefined && children(data)}
    </section>
  );
}

export function Preview({ of }: { readonly of: ReturnType<typeof usePreview> }) {
  return (
    <Asked of={of} title="Who would be in it">
      {(answer) => <Members of={answer} />}
    </Asked>
  );
}

export function TraitPreview({ of }: { readonly of: ReturnType<typeof useTraitPreview> }) {
  return (
    <Asked of={of} title="Who would have a value">
      {(answer) => <Values of={answer} />}
    </Asked>
  );
}
