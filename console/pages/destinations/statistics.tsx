// A destination's requests and calls over time.
import { lazy, Suspense, useMemo } from "react";
import { Link } from "react-router";
import { Answer, Loading } from "../../elements/answer.tsx";
import { DeliveryFacts, deliveryLines } from "../../elements/call-stats.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Grouped } from "../../elements/grouped.tsx";
import { requestCounts } from "../../elements/groups.ts";
import { LATENCIES, LatencyFacts } from "../../elements/latency.tsx";
import { SpanChoice, useSpan } from "../../elements/span-choice.tsx";
import { type LineOf, linesOf, type Span } from "../../elements/steps.ts";
import { duration, share } from "../../elements/times.ts";
import { loadStats, type Stats, useDestination, useStats } from "./queries.ts";

const Chart = lazy(async () => ({ default: (await import("../../elements/chart.tsx")).Chart }));

type Entry = Stats["data"][number];

const REQUESTS: readonly LineOf<Entry>[] = [
  { label: "delivered", tone: "good", count: ({ attempts }) => requestCounts(attempts).success },
  {
    label: "failed",
    tone: "bad",
    count: ({ attempts }) => requestCounts(attempts).all - requestCounts(attempts).success,
  },
];

function Charts({ of: { data, from, to, total }, span }: { readonly of: Stats; readonly span: Span }) {
  const { step, stepMs } = span;
  const [requests, calls, latencies] = useMemo(() => {
    const range = { from, to, stepMs };
    return [
      linesOf({ ...range, entries: data.map((entry) => [entry.minute, entry] as const) }, REQUESTS),
      linesOf(
        { ...range, entries: data.map((entry) => [entry.minute, entry.calls] as const) },
        deliveryLines(total.calls),
      ),
      linesOf({ ...range, entries: data.map((entry) => [entry.minute, entry.latency] as const) }, LATENCIES),
    ] as const;
  }, [data, from, to, total, stepMs]);
  return (
    <Suspense fallback={<Loading />}>
      <Chart caption={`Requests by ${step}`} {...requests} />
      <Chart caption={`Calls by ${step} of their acceptance`} {...calls} />
      <Chart caption={`Milliseconds from acceptance to delivery by ${step}`} {...latencies} />
    </Suspense>
  );
}

function Requests({ of: { attempts, p50Ms, p95Ms, p99Ms } }: { readonly of: Stats["total"] }) {
  const { success, all } = requestCounts(attempts);
  const { diverted = 0, ...outcomes } = attempts;
  return (
    <>
      <Facts
        of={{
          Requests: all.toLocaleString("en"),
          Success: share(success, all),
          p50: duration(p50Ms),
          p95: duration(p95Ms),
          p99: duration(p99Ms),
        }}
      />
      <ul>
        {Object.entries(outcomes).map(([outcome, count]) => (
          <li key={outcome}>
            <Link to={`attempts?outcome=${outcome}`}>{outcome.replaceAll("_", " ")}</Link>: {count}
          </li>
        ))}
        {diverted > 0 && <li>put off without a request: {diverted}</li>}
      </ul>
    </>
  );
}

export function Statistics({ id }: { readonly id: string }) {
  const chosen = useSpan();
  const { span } = chosen;
  const { webhooks } = useDestination();
  return (
    <>
      <SpanChoice {...chosen} />
      <Answer query={useStats(id, span)}>
        {(stats) => {
          if (stats.data.length === 0) return <p className="quiet">Nothing was sent in {span.title}.</p>;
          return (
            <>
              <Requests of={stats.total} />
              <LatencyFacts of={stats.total.latency} />
              <DeliveryFacts
                of={stats.total.calls}
                paths={{
                  died: (reason) => `dead-letters?reason=${encodeURIComponent(reason)}`,
                  passedOver: (reason) => `calls?became=${encodeURIComponent(reason)}`,
                  sent: "calls?became=sent",
                }}
              />
              <Charts of={stats} span={span} />
              <Grouped
                {...chosen}
                queryKey={["stats", id]}
                load={(query) => loadStats(id, query)}
                eventPath={(name) => `calls?event=${encodeURIComponent(name)}`}
                titles={Object.fromEntries(webhooks.map((one) => [one.id, one.maskedUrl]))}
              />
            </>
          );
        }}
      </Answer>
    </>
  );
}
