// What a stretch of time costs: CPU time, wakes and requests to Kafka, by process.

import type { KafkaRequests } from "./kafka-requests.ts";
import type { Load } from "./load.ts";
import type { Sample } from "./process.ts";
import { type Endpoints, type Subject, seconds } from "./rig.ts";
import type { Usage } from "./usage.ts";

export interface Measured {
  readonly subject: Subject;
  readonly endpoints: Endpoints;
  /** Nobody sends calls where there is none. */
  readonly load?: Load;
}

/** What one process took in a stretch. */
export interface ProcessCosts {
  readonly cpuSeconds: number;
  readonly wakes: number;
  /** At its end. */
  readonly rssBytes: number;
}

export interface Costs {
  readonly seconds: number;
  /** Calls that were received. */
  readonly calls: number;
  readonly processes: ReadonlyMap<string, ProcessCosts>;
  /** The generator and the endpoints: none of the product. In seconds. */
  readonly outside: ReadonlyMap<string, number>;
  /** A second. */
  readonly requests: ReadonlyMap<string, KafkaRequests>;
}

interface Moment {
  readonly atMs: number;
  readonly usage: ReadonlyMap<string, Usage>;
  readonly received: number;
  readonly outside: ReadonlyMap<string, Sample>;
}

async function momentOf({ subject, load, endpoints }: Measured): Promise<Moment> {
  const usage = await subject.usage();
  const [sink, generator] = await Promise.all([endpoints.sink.sample(), load?.sample()]);
  const outside = new Map<string, Sample>([["endpoints", sink]]);
  if (generator !== undefined) outside.set("generator", generator);
  return { atMs: performance.now(), usage, received: sink.count, outside };
}

/** Of the next `length` seconds. A look at the metrics costs a service time too, so it is taken outside of them. */
export async function costsOver(measured: Measured, length: number): Promise<Costs> {
  const beganAtMs = performance.now();
  const before = await measured.subject.requests();
  const from = await momentOf(measured);
  await seconds(length);
  const to = await momentOf(measured);
  const askedAtMs = performance.now();
  const after = await measured.subject.requests();
  return { ...costsBetween(from, to), requests: ratesBetween(before, after, (askedAtMs - beganAtMs) / 1000) };
}

function costsBetween(from: Moment, to: Moment): Omit<Costs, "requests"> {
  const processes = [...to.usage].map(([process, { cpuSeconds, wakes, rssBytes }]) => {
    const before = from.usage.get(process);
    const taken = {
      cpuSeconds: cpuSeconds - (before?.cpuSeconds ?? 0),
      wakes: wakes - (before?.wakes ?? 0),
      rssBytes,
    };
    return [process, taken] as const;
  });
  const outside = [...to.outside].map(
    ([name, { cpuSeconds }]) => [name, cpuSeconds - (from.outside.get(name)?.cpuSeconds ?? 0)] as const,
  );
  return {
    seconds: (to.atMs - from.atMs) / 1000,
    calls: to.received - from.received,
    processes: new Map(processes),
    outside: new Map(outside),
  };
}

function ratesBetween(
  from: ReadonlyMap<string, KafkaRequests>,
  to: ReadonlyMap<string, KafkaRequests>,
  passed: number,
): Map<string, KafkaRequests> {
  const rates = (before: ReadonlyMap<string, number> | undefined, now: ReadonlyMap<string, number>) =>
    new Map([...now].map(([name, count]) => [name, (count - (before?.get(name) ?? 0)) / passed]));
  return new Map(
    [...to].map(([process, { byApi, produceRequests, producedRecords }]) => {
      const before = from.get(process);
      const requests = {
        byApi: rates(before?.byApi, byApi),
        produceRequests: rates(before?.produceRequests, produceRequests),
        producedRecords: rates(before?.producedRecords, producedRecords),
      };
      return [process, requests];
    }),
  );
}
