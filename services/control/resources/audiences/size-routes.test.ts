// Sizes of audiences over HTTP, on real Kafka.
import { expect, test } from "@jest/globals";
import { problemFields } from "#support/control-service";
import { until } from "#support/until";
import type { AudienceSize } from "#topics";
import { control, processor, useProcessor } from "./fixtures/use-processor.ts";

const DAY = 20_000;
const DAY_MS = 86_400_000;
const at = (day: number): string => new Date(day * DAY_MS).toISOString();

useProcessor({ nowMs: () => (DAY + 1) * DAY_MS - 1 });

const row = (id: string, partition: number, more: Partial<AudienceSize> = {}): AudienceSize => ({
  ...{ id, partition, day: DAY, batch: 1, countedTo: 0, members: 0, isBeginning: false, hours: [] },
  ...more,
});

test("sizes of an audience are those of all partitions; 503 until each has counted, 422 for more than is kept, 404 for none", async () => {
  const { id } = (await control.ask("/v1/audiences", { body: { name: "Sized", definition: { event: "A" } } }))
    .body;
  const ask = (query = "") => control.ask(`/v1/audiences/${id}/sizes${query}`);
  await processor.count(row("", 0));
  expect((await ask()).status).toBe(503);
  const hours = [{ hour: 3, entered: 4, left: 1 }];
  await processor.count(
    row("", 1),
    row(id, 0, { members: 3, hours }),
    row(id, 1, { members: 2, day: DAY - 1 }),
  );
  await until(async () => (await ask()).body.data?.at(-1).size === 5, {
    timeoutMs: 30_000,
    what: "the rows",
  });
  expect((await ask(`?from=${at(DAY - 2)}`)).body).toEqual({
    from: at(DAY - 2),
    to: at(DAY + 1),
    data: [
      { at: at(DAY - 2), size: 2, entered: 0, left: 0 },
      { at: at(DAY - 1), size: 2, entered: 0, left: 0 },
      { at: at(DAY), size: 5, entered: 4, left: 1 },
    ],
  });
  expect((await ask()).body.data).toHaveLength(31);
  expect((await ask("?step=hour")).body.data.at(-21)).toMatchObject({ size: 5, entered: 4, left: 1 });
  expect(problemFields(await ask(`?step=hour&from=${at(DAY - 40)}`))).toEqual({ from: expect.any(String) });
  expect((await control.ask("/v1/audiences/aud_none/sizes")).status).toBe(404);
}, 180_000);
