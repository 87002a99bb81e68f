// How long deliveries took, from the acceptance of a call to a success.
import type { Schemas } from "../api/client.ts";
import { Facts } from "./facts.tsx";
import type { LineOf } from "./steps.ts";
import { duration } from "./times.ts";

type Latency = Schemas["Latency"];

export const LATENCIES: readonly LineOf<Latency>[] = [
  { label: "p50", tone: "good", count: ({ p50Ms }) => p50Ms ?? 0 },
  { label: "p95", tone: "wait", count: ({ p95Ms }) => p95Ms ?? 0 },
  { label: "p99", tone: "bad", count: ({ p99Ms }) => p99Ms ?? 0 },
];

export function LatencyFacts({ of: { p50Ms, p95Ms, p99Ms } }: { readonly of: Latency }) {
  return (
    <Facts
      of={{
        "From acceptance to delivery, p50": duration(p50Ms),
        p95: duration(p95Ms),
        p99: duration(p99Ms),
      }}
    />
  );
}
