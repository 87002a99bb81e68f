// What became of accepted calls over time, of all sources or of one.
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { Fragment, lazy, Suspense, useMemo } from "react";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { Answer, Loading } from "./answer.tsx";
import { Facts } from "./facts.tsx";
import { Grouped } from "./grouped.tsx";
import type { GroupBy } from "./groups.ts";
import { LATENCIES, LatencyFacts } from "./latency.tsx";
import { SpanChoice, useSpan } from "./span-choice.tsx";
import { type LineOf, linesOf, queryOf, type Span, sumOf } from "./steps.ts";
import { share } from "./times.ts";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));

const REFETCH_MS = 15_000;

type Stats = Schemas["CallStats"];
type Flow = Stats["total"];
type StatsQuery = ReturnType<typeof queryOf> & { readonly groupBy?: GroupBy };

const CALLS: readonly LineOf<Flow>[] = [
  { label: "routed", tone: "good", count: ({ routed }) => routed },
  { label: "dropped", tone: "wait", count: ({ dropped }) => sumOf(dropped) },
  { label: "failed", tone: "bad", count: ({ failed }) => failed },
];
type Deliveries = Schemas["DeliveryFlow"];
const DEAD: LineOf<Deliveries> = { label: "dead", tone: "bad", count: ({ dead }) => sumOf(dead) };
const SETTLED: readonly LineOf<Deliveries>[] = [
  { label: "delivered", tone: "good", count: ({ delivered }) => delivered ?? 0 },
  { label: "waiting", tone: "wait", count: ({ waiting }) => waiting ?? 0 },
  DEAD,
];
const NOT_SETTLED: readonly LineOf<Deliveries>[] = [
  { label: "delivered or waiting", tone: "good", count: ({ dead, sent }) => sent - sumOf(dead) },
  DEAD,
];

/** By whether it is known what waits. */
export function deliveryLines({ waiting }: Deliveries): readonly LineOf<Deliveries>[] {
  return waiting === null ? NOT_SETTLED : SETTLED;
}

/** Where the calls that a number counts are listed. */
interface StepPaths {
  readonly refused?: (code: string) => string;
  readonly dropped?: (reason: string) => string;
  readonly died?: (reason: string) => string;
  readonly passedOver?: (reason: string) => string;
  readonly sent?: string;
  readonly event?: (name: string) => string;
}

interface ReasonsProps {
  readonly title: string;
  readonly of: Readonly<Record<string, number>>;
  readonly path?: ((reason: string) => string) | undefined;
}

function Reasons({ of, path, title }: ReasonsProps) {
  const counts = Object.entries(of).toSorted(([, one], [, other]) => other - one);
  if (counts.length === 0) return null;
  return (
    <p>
      {title}:{" "}
      {counts.map(([reason, count], at) => {
        const text = reason.replaceAll("_", " ");
        return (
          <Fragment key={reason}>
            {at > 0 && ", "}
            {path === undefined ? text : <Link to={path(reason)}>{text}</Link>} {count.toLocaleString("en")}
          </Fragment>
        );
      })}
    </p>
  );
}

interface DeliveryFactsProps {
  readonly of: Schemas["DeliveryFlow"];
  readonly paths?: Pick<StepPaths, "died" | "passedOver" | "sent">;
}

export function DeliveryFacts({ of, paths = {} }: DeliveryFactsProps) {
  const sent = of.sent.toLocaleString("en");
  return (
    <>
      <Facts
        of={{
          "Sent to destinations": paths.sent === undefined ? sent : <Link to={paths.sent}>{sent}</Link>,
          Delivered: of.delivered?.toLocaleString("en") ?? "–",
          Waiting: of.waiting?.toLocaleString("en") ?? "–",
          Dead: sumOf(of.dead).toLocaleString("en"),
        }}
      />
      {of.waiting === null && (
        <p className="quiet">How many of them wait is not counted yet; the others are delivered.</p>
      )}
      <Reasons title="Died" of={of.dead} path={paths.died} />
      <Reasons title="Not meant for a destination" of={of.passedOver} path={paths.passedOver} />
    </>
  );
}

function CallFacts({ of, paths }: { readonly of: Flow; readonly paths: StepPaths }) {
  const dropped = sumOf(of.dropped);
  const partOf = (count: number, whole: number): string =>
    whole === 0 ? "0" : `${count.toLocaleString("en")} (${share(count, whole)})`;
  const part = (count: number): string => partOf(count, of.accepted);
  return (
    <>
      <Facts
        of={{
          Received: of.received.toLocaleString("en"),
          Refused: partOf(sumOf(of.refused), of.received),
          Accepted: of.accepted.toLocaleString("en"),
          Routed: part(of.routed),
          Dropped: part(dropped),
          Failed: part(of.failed),
        }}
      />
      <Reasons title="Refused" of={of.refused} path={paths.refused} />
      <Reasons title="Dropped" of={of.dropped} path={paths.dropped} />
    </>
  );
}

function Drawn({ of: { data, from, to, total }, span }: { readonly of: Stats; readonly span: Span }) {
  const { stepMs, step } = span;
  const [calls, deliveries, latencies] = useMemo(
    () =>
      [
        linesOf({ from, to, stepMs, entries: data.map((entry) => [entry.at, entry] as const) }, CALLS),
        linesOf(
          { from, to, stepMs, entries: data.map((entry) => [entry.at, entry.deliveries] as const) },
          deliveryLines(total.deliveries),
        ),
        linesOf(
          { from, to, stepMs, entries: data.map((entry) => [entry.at, entry.requests.latency] as const) },
          LATENCIES,
        ),
      ] as const,
    [data, from, to, total, stepMs],
  );
  return (
    <Suspense fallback={<Loading />}>
      <Chart caption={`Accepted calls by ${step}`} {...calls} />
      <Chart caption={`Calls at destinations by ${step}`} {...deliveries} />
      <Chart caption={`Milliseconds from acceptance to delivery by ${step}`} {...latencies} />
    </Suspense>
  );
}

interface CallStatsProps {
  readonly queryKey: QueryKey;
  readonly load: (query: StatsQuery) => Promise<Stats>;
  readonly paths?: StepPaths;
}

/** Asked again every 15 s while the tab is seen. */
export function CallStats({ queryKey, load, paths = {} }: CallStatsProps) {
  const chosen = useSpan();
  const { span } = chosen;
  const query = useQuery({
    queryKey: [...queryKey, span.name, span.step],
    queryFn: () => load(queryOf(span, Date.now())),
    refetchInterval: REFETCH_MS,
  });
  return (
    <>
      <SpanChoice {...chosen} />
      <Answer query={query}>
        {(stats) =>
          stats.total.received === 0 && stats.total.deliveries.sent === 0 ? (
            <p className="quiet">No call came in {span.title}.</p>
          ) : (
            <>
              <CallFacts of={stats.total} paths={paths} />
              <DeliveryFacts of={stats.total.deliveries} paths={paths} />
              <LatencyFacts of={stats.total.requests.latency} />
              <Drawn of={stats} span={span} />
              <Grouped
                {...chosen}
                queryKey={queryKey}
                load={load}
                {...(paths.event && { eventPath: paths.event })}
              />
            </>
          )
        }
      </Answer>
    </>
  );
}
