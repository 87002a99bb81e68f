import type { Runner, RunnerOptions } from "../types.ts";
import { GroupReader, type GroupReaderParts } from "./group-reader.ts";

/** A consumer group member whose steps' outcomes are written before their offsets are committed. */
export function createRunner<T>(parts: GroupReaderParts, options: RunnerOptions<T>): Runner {
  const { producer } = options;
  return new GroupReader<T>(parts, {
    ...options,
    work: {
      decode: (record) => options.decode(record),
      step: (record, settle, claim) => options.step(record, settle, claim),
      deadLetter: (record, error) => options.deadLetter(record, error),
      dueAtMs: options.dueAtMs === undefined ? undefined : (record) => options.dueAtMs?.(record) ?? 0,
      write: (records) => producer.send(records),
    },
  });
}
