// How many were in an audience over time, and who came and went.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer, Loading } from "../../elements/answer.tsx";
import { Facts } from "../../elements/facts.tsx";
import { useFilters } from "../../elements/filters.tsx";
import { Choice } from "../../elements/span-choice.tsx";
import { type LineOf, linesOf, queryOf, SPANS, type Span, spanOf } from "../../elements/steps.ts";
import { Table } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";

const Chart = lazy(async () => ({ default: (await import("../../elements/chart.tsx")).Chart }));

const REFETCH_MS = 15_000;
/** Those that have hours or days. */
const NAMES = ["day", "month", "year"] as const;

type Step = Schemas["AudienceSizes"]["data"][number];
type Known = { readonly [field in keyof Step]: NonNullable<Step[field]> };

const SIZE: readonly LineOf<Known>[] = [{ label: "members", tone: "link", count: ({ size }) => size }];
const MOVES: readonly LineOf<Known>[] = [
  { label: "entered", tone: "good", count: ({ entered }) => entered },
  { label: "left", tone: "bad", count: ({ left }) => left },
];

/** Nobody had counted before the first of them. */
function known(data: readonly Step[]): Known[] {
  return data.filter((step): step is Known => step.size !== null);
}

function Drawn({
  of,
  span,
  to,
}: {
  readonly of: readonly Known[];
  readonly span: Span;
  readonly to: string;
}) {
  const [size, moves] = useMemo(() => {
    const entries = of.map((step) => [step.at, step] as const);
    const range = { from: of[0]?.at ?? to, to, stepMs: span.stepMs, entries };
    return [linesOf(range, SIZE), linesOf(range, MOVES)];
  }, [of, span.stepMs, to]);
  return (
    <Suspense fallback={<Loading />}>
      <Chart caption={`Members at the end of each ${span.step}`} {...size} />
      <Chart caption={`Entered and left by ${span.step}`} {...moves} />
    </Suspense>
  );
}

function Numbers({ of, span }: { readonly of: readonly Known[]; readonly span: Span }) {
  return (
    <details>
      <summary>The numbers of each {span.step}</summary>
      <Table
        caption={`Members by ${span.step}`}
        rows={of.toReversed()}
        keyOf={({ at }) => at}
        columns={[
          { title: "From", cell: ({ at }) => <Time at={at} /> },
          { title: "Members", isNumber: true, cell: ({ size }) => size.toLocaleString("en") },
          { title: "Entered", isNumber: true, cell: ({ entered }) => entered.toLocaleString("en") },
          { title: "Left", isNumber: true, cell: ({ left }) => left.toLocaleString("en") },
        ]}
      />
    </details>
  );
}

function Shown({ of: { data, to }, span }: { readonly of: Schemas["AudienceSizes"]; readonly span: Span }) {
  const steps = useMemo(() => known(data), [data]);
  if (steps.length === 0) return <p className="quiet">Nobody had counted its members in {span.title}.</p>;
  const sum = (of: "entered" | "left") => steps.reduce((total, step) => total + step[of], 0);
  const facts = { Entered: sum("entered").toLocaleString("en"), Left: sum("left").toLocaleString("en") };
  return (
    <>
      <Facts of={facts} />
      <Drawn of={steps} span={span} to={to} />
      <Numbers of={steps} span={span} />
    </>
  );
}

export function Sizes({ id }: { readonly id: string }) {
  const filters = useFilters();
  const asked = NAMES.find((name) => name === filters.get("span")) ?? "month";
  const span = spanOf(asked);
  const query = useQuery({
    queryKey: ["sizes", id, asked],
    queryFn: () => {
      const { from, step } = queryOf(span, Date.now());
      const asking = { from, step: step === "hour" ? ("hour" as const) : ("day" as const) };
      return answerOf(api.GET("/v1/audiences/{id}/sizes", { params: { path: { id }, query: asking } }));
    },
    refetchInterval: REFETCH_MS,
  });
  return (
    <>
      <Choice
        legend="Shown is"
        options={NAMES.map((name) => [name, SPANS[name].title] as const)}
        chosen={asked}
        choose={(name) => filters.set("span", name === "month" ? "" : name)}
      />
      <Answer query={query}>{(sizes) => <Shown of={sizes} span={span} />}</Answer>
    </>
  );
}
