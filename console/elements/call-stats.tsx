// What became of accepted calls over time, of all sources or of one.
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
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
export const DELIVERIES: readonly LineOf<Schemas["DeliveryFlow"]>[] = [
  { label: "delivered or waiting", tone: "good", count: ({ deliveredOrWaiting }) => deliveredOrWaiting },
  { label: "dead", tone: "bad", count: ({ dead }) => sumOf(dead) },
];

function Reasons({ title, of }: { readonly title: string; readonly of: Readonly<Record<string, number>> }) {
  const counts = Object.entries(of).toSorted(([, one], [, other]) => other - one);
  if (counts.length === 0) return null;
  return (
    <p>
      {title}:{" "}
      {counts
        .map(([reason, count]) => `${reason.replaceAll("_", " ")} ${count.toLocaleString("en")}`)
        .join(", ")}
    </p>
  );
}

export function DeliveryFacts({ of }: { readonly of: Schemas["DeliveryFlow"] }) {
  return (
    <>
      <Facts
        of={{
          "Sent to destinations": of.sent.toLocaleString("en"),
          "Delivered or waiting": of.deliveredOrWaiting.toLocaleString("en"),
          Dead: sumOf(of.dead).toLocaleString("en"),
        }}
      />
      <Reasons title="Died" of={of.dead} />
      <Reasons title="Not meant for a destination" of={of.passedOver} />
    </>
  );
}

function CallFacts({ of }: { readonly of: Flow }) {
  const dropped = sumOf(of.dropped);
  const part = (count: number): string =>
    of.accepted === 0 ? "0" : `${count.toLocaleString("en")} (${share(count, of.accepted)})`;
  return (
    <>
      <Facts
        of={{
          Accepted: of.accepted.toLocaleString("en"),
          Routed: part(of.routed),
          Dropped: part(dropped),
          Failed: part(of.failed),
        }}
      />
      <Reasons title="Dropped" of={of.dropped} />
    </>
  );
}

function Drawn({ of: { data, from, to }, span }: { readonly of: Stats; readonly span: Span }) {
  const { stepMs, step } = span;
  const [calls, deliveries, latencies] = useMemo(
    () =>
      [
        linesOf({ from, to, stepMs, entries: data.map((entry) => [entry.at, entry] as const) }, CALLS),
        linesOf(
          { from, to, stepMs, entries: data.map((entry) => [entry.at, entry.deliveries] as const) },
          DELIVERIES,
        ),
        linesOf(
          { from, to, stepMs, entries: data.map((entry) => [entry.at, entry.requests.latency] as const) },
          LATENCIES,
        ),
      ] as const,
    [data, from, to, stepMs],
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
}

/** Asked again every 15 s while the tab is seen. */
export function CallStats({ queryKey, load }: CallStatsProps) {
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
          stats.total.accepted === 0 && stats.total.deliveries.sent === 0 ? (
            <p className="quiet">No call was accepted in {span.title}.</p>
          ) : (
            <>
              <CallFacts of={stats.total} />
              <DeliveryFacts of={stats.total.deliveries} />
              <LatencyFacts of={stats.total.requests.latency} />
              <Drawn of={stats} span={span} />
              <Grouped {...chosen} queryKey={queryKey} load={load} />
            </>
          )
        }
      </Answer>
    </>
  );
}
