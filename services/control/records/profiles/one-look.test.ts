import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { PartitionOffsets } from "#kafka";
import { oneLookPerTurn } from "./one-look.ts";

const FOUND: PartitionOffsets[] = [{ partition: 0, low: 0, high: 1 }];

test("looks of one turn are one, and one that is asked for while it is under way is another", async () => {
  const looked: string[] = [];
  const answer = Promise.withResolvers<PartitionOffsets[]>();
  const { offsets } = oneLookPerTurn(
    {
      offsets(topic) {
        looked.push(topic);
        return answer.promise;
      },
    },
    systemHost,
  );
  const first = [offsets("t"), offsets("t"), offsets("u")];
  expect(looked).toEqual([]);
  await new Promise<void>((resolve) => void systemHost.setImmediate(resolve));
  const later = offsets("t");
  answer.resolve(FOUND);
  expect(await Promise.all([...first, later])).toEqual([FOUND, FOUND, FOUND, FOUND]);
  expect(looked).toEqual(["t", "u", "t"]);
});

test("one that fails fails for all who asked, and the next is tried", async () => {
  let tries = 0;
  const { offsets } = oneLookPerTurn(
    {
      async offsets() {
        tries += 1;
        if (tries === 1) throw new Error("away");
        return FOUND;
      },
    },
    systemHost,
  );
  const both = [offsets("t"), offsets("t")];
  for (const look of both) await expect(look).rejects.toThrow("away");
  expect(await offsets("t")).toEqual(FOUND);
});
