import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { settled } from "#testing/host";
import { FetchWaits } from "./fetch-waits.ts";

const never = (): Promise<never> => new Promise(() => undefined);

test("a fetch that is answered brings its answer", async () => {
  expect(await new FetchWaits(systemHost).run(async () => "records")).toBe("records");
});

test("when one broker's fetch fails, the others' waits end, after the client has stopped their loops", async () => {
  const waits = new FetchWaits(systemHost);
  const other = waits.run(never);
  const failed = waits.run(async () => {
    throw new Error("refused");
  });
  let isOtherEnded = false;
  void other.then(() => {
    isOtherEnded = true;
  });
  await expect(failed).rejects.toThrow("refused");
  expect(isOtherEnded).toBe(false);
  expect(await other).toBeUndefined();
});

test("after the close no fetch begins", async () => {
  const waits = new FetchWaits(systemHost);
  const under = waits.run(never);
  waits.close();
  expect(await under).toBeUndefined();
  let fetches = 0;
  expect(
    await waits.run(async () => {
      fetches += 1;
    }),
  ).toBeUndefined();
  await settled();
  expect(fetches).toBe(0);
});
