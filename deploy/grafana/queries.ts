// Queries that the dashboards are made of. Every metric is of docs/operate/metrics.md; a test looks.
import type { Query } from "./panels.ts";

/** The processes that the dashboard's variable has chosen. */
const CHOSEN = `job=~"$job"`;

/** A second, over the time that Grafana says fits the resolution. */
export function perSecond(metric: string, by: readonly string[] = [], matchers = ""): string {
  return `sum${grouping(by)} (rate(${metric}{${CHOSEN}${matchers}}[$__rate_interval]))`;
}

export function total(metric: string, by: readonly string[] = []): string {
  return `sum${grouping(by)} (${metric}{${CHOSEN}})`;
}

/** Of a gauge that each process exports for all together. */
export function common(metric: string): string {
  return `max (${metric}{${CHOSEN}})`;
}

/** Of a histogram of seconds. */
export function quantile(share: number, metric: string, matchers = ""): Query {
  return {
    expr: `histogram_quantile(${share}, sum by (le) (rate(${metric}_bucket{${CHOSEN}${matchers}}[$__rate_interval])))`,
    legend: `p${share * 100}`,
  };
}

export function quantiles(metric: string, matchers = ""): readonly Query[] {
  return [0.5, 0.95, 0.99].map((share) => quantile(share, metric, matchers));
}

/** Seconds since a timestamp; the oldest of all processes. A process that has nothing exports 0, and is shown as 0. */
export function age(metric: string, by: readonly string[] = []): string {
  const timestamp = `${metric}{${CHOSEN}}`;
  return `max${grouping(by)} ((time() - ${timestamp}) * (${timestamp} > bool 0))`;
}

function grouping(by: readonly string[]): string {
  return by.length === 0 ? "" : ` by (${by.join(", ")})`;
}
