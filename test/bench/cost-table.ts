// What costs.ts measures, as tables.
import type { Costs, ProcessCosts } from "./costs.ts";
import type { Column, Report, Row } from "./report.ts";

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

export const COST_COLUMNS: readonly Column[] = [
  { name: "CPU a call", unit: "us" },
  { name: "of a core", unit: "%" },
  { name: "wakes", unit: "/s" },
  { name: "wakes a call", unit: "" },
  { name: "requests", unit: "/s" },
  { name: "requests a call", unit: "" },
  { name: "memory", unit: "MiB" },
];

/** What all of the product and the broker take of a call together. */
export const ALL = "all of them";

/** By process, with the columns of COST_COLUMNS; a call's share is NaN or endless where there was none. */
export function costRows({ calls, seconds, processes, requests }: Costs): Map<string, Row> {
  const rowOf = ({ cpuSeconds, wakes, rssBytes }: ProcessCosts, requestRate: number): Row => [
    (cpuSeconds * 1e6) / calls,
    (cpuSeconds * 100) / seconds,
    wakes / seconds,
    wakes / calls,
    requestRate,
    (requestRate * seconds) / calls,
    rssBytes / 2 ** 20,
  ];
  const requestsOf = (process: string): number => {
    const byApi = requests.get(process)?.byApi;
    return byApi === undefined || byApi.size === 0 ? Number.NaN : sumOf(byApi.values());
  };
  const rows = new Map([...processes].map(([process, took]) => [process, rowOf(took, requestsOf(process))]));
  const took = [...processes.values()];
  const all = {
    cpuSeconds: sumOf(took.map(({ cpuSeconds }) => cpuSeconds)),
    wakes: sumOf(took.map(({ wakes }) => wakes)),
    rssBytes: sumOf(took.map(({ rssBytes }) => rssBytes)),
  };
  const known = [...processes.keys()].map(requestsOf).filter((rate) => !Number.isNaN(rate));
  return rows.set(ALL, rowOf(all, known.length === 0 ? Number.NaN : sumOf(known)));
}

/** Requests a second by API, with a column for each process that counts. */
function requestRows({ requests }: Costs, processes: readonly string[]): Map<string, Row> {
  const apis = new Set(processes.flatMap((process) => [...(requests.get(process)?.byApi.keys() ?? [])]));
  const rows = [...apis].map((api) => {
    const row = processes.map((process) => requests.get(process)?.byApi.get(api) ?? 0);
    return [api, row] as const;
  });
  return new Map(rows.filter(([, row]) => row.some((rate) => rate > 0)));
}

const PRODUCE_COLUMNS: readonly Column[] = [
  { name: "produces", unit: "/s" },
  { name: "records", unit: "/s" },
  { name: "records a produce", unit: "" },
];

function produceRows({ requests }: Costs): Map<string, Row> {
  const rows = [...requests].flatMap(([process, { produceRequests, producedRecords }]) =>
    [...produceRequests].flatMap(([topic, produces]) => {
      if (produces === 0) return [];
      const records = producedRecords.get(topic) ?? 0;
      const row = [produces, records, records / produces];
      return [[`${process}, ${topic}`, row] as const];
    }),
  );
  return new Map(rows);
}

/** Says what it took by process, its requests by API, what it produced by topic. */
export function sayCosts(report: Report, name: string, costs: Costs): void {
  const { calls, seconds, outside, requests } = costs;
  report.figure(`${name}: calls/s`, calls / seconds, { unit: "calls/s" });
  report.table(name, COST_COLUMNS, costRows(costs));
  for (const [process, cpuSeconds] of calls === 0 ? [] : outside)
    report.figure(`${name}: CPU a call, ${process} (not counted above)`, (cpuSeconds * 1e6) / calls, {
      unit: "us",
    });
  const counting = [...requests].flatMap(([process, { byApi }]) => (byApi.size === 0 ? [] : [process]));
  if (counting.length === 0) return;
  const columns = counting.map((process) => ({ name: process, unit: "" }));
  report.table(`${name}, requests/s`, columns, requestRows(costs, counting));
  const produced = produceRows(costs);
  if (produced.size > 0) report.table(`${name}, what is produced`, PRODUCE_COLUMNS, produced);
}
