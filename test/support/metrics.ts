import type { ServiceProcess } from "./service.ts";

/** What a service's /metrics says now, in Prometheus' text format. */
export async function metricsOf(service: Pick<ServiceProcess, "operationsUrl">): Promise<string> {
  return (await fetch(`${service.operationsUrl}/metrics`)).text();
}

/** The value of one series, named with its labels; NaN where it is not there. */
export function valueOfSeries(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

/** Sum of a metric over all its labels. */
export function sumOfMetric(text: string, name: string): number {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** A metric's values by those of its only label; empty where it is not there. */
export function valuesByLabel(text: string, name: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, label, value] =
      /^\{\w+="([^"]*)"\} (\S+)$/.exec(line.startsWith(name) ? line.slice(name.length) : "") ?? [];
    if (label !== undefined) values.set(label, Number(value));
  }
  return values;
}
