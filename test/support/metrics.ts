import type { ServiceProcess } from "./service.ts";

/** What a service's /metrics says now, in Prometheus' text format. */
export async function metricsOf(service: ServiceProcess): Promise<string> {
  return (await fetch(`${service.operationsUrl}/metrics`)).text();
}

/** Sum of a metric over all its labels. */
export function sumOfMetric(text: string, name: string): number {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
