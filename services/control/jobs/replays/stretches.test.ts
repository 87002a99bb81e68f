import { expect, test } from "@jest/globals";
import { jobStretches } from "./stretches.ts";

/** Records stand at the offset that is their time. Kafka takes no time before its first, but for numbers that mean something else. */
const PARTITIONS = Array.from({ length: 12 }, (_, partition) => partition);
const admin = {
  offsets: async () => PARTITIONS.map((partition) => ({ partition, low: 0, high: 900_000 })),
  async offsetForTime(_: string, timeMs: number) {
    if (timeMs < 0) throw new RangeError(`no time: ${timeMs}`);
    return PARTITIONS.map((partition) => ({ partition, offset: timeMs }));
  },
};

test.each([
  [undefined, 0],
  [Date.parse("1970-01-01T00:04:59Z"), 0],
  [Date.parse("0001-01-01T00:00:00Z"), 0],
  [Date.parse("1970-01-01T00:06:00Z"), 60_000],
])("of calls accepted since %p every partition is read, from %p on", async (fromMs, fromOffset) => {
  const stretches = PARTITIONS.map((partition) => ({ partition, fromOffset, toOffset: 900_000 }));
  expect(await jobStretches(admin, "jobs", fromMs)).toEqual(stretches);
});
