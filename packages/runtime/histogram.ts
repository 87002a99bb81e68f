import type { Metric, Registry } from "prom-client";
import type { LabelSets } from "./label-sets.ts";

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly sets: LabelSets;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** The observations of one label set. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Values in each bucket alone, the last one unbounded. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A histogram of plain numbers, as registerCounter's are; put into the registry's own form at a scrape, as prom-client's
 * class takes single values only.
 */
export function registerHistogram({ name, help, sets, buckets }: HistogramOptions, registry: Registry) {
  const series = sets.all.map(
    (labels): Series => ({ labels, counts: new Float64Array(buckets.length + 1), sum: 0 }),
  );
  const get = async () => ({
    name,
    help,
    type: "histogram",
    values: series.flatMap((one) => exposed(name, buckets, one)),
  });
  // This much the registry asks of a metric; the type asks for the whole of prom-client's own class.
  registry.registerMetric({ name, get } as unknown as Metric);
  return (labels: Readonly<Record<string, string>>, value: number): void => {
    if (!Number.isFinite(value)) throw new RangeError(`${name} cannot observe ${value}`);
    const one = series[sets.indexOf(labels)];
    if (one === undefined) return;
    const bucket = buckets.findIndex((bound) => value <= bound);
    const place = bucket < 0 ? buckets.length : bucket;
    one.counts[place] = (one.counts[place] ?? 0) + 1;
    one.sum += value;
  };
}

/** One line of the exposition. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Prometheus counts a value in every bucket whose bound is not below it. */
function exposed(name: string, buckets: readonly number[], { labels, counts, sum }: Series): Sample[] {
  let count = 0;
  const samples: Sample[] = [];
  counts.forEach((own, place) => {
    count += own;
    const le = buckets[place] ?? "+Inf";
    samples.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: count });
  });
  samples.push({ metricName: `${name}_sum`, labels, value: sum });
  samples.push({ metricName: `${name}_count`, labels, value: count });
  return samples;
}
