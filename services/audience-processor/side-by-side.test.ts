import { expect, test } from "@jest/globals";
import { SideBySide } from "./side-by-side.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("as many go on as may, and each that ends lets in the one that has waited longest", async () => {
  const sideBySide = new SideBySide(2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const done = works.map(({ promise }, n) =>
    sideBySide.run(() => {
      begun.push(n);
      return promise;
    }),
  );
  await turn();
  expect(begun).toEqual([0, 1]);
  works[1]?.resolve();
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  works[0]?.reject(new Error("ended"));
  await expect(done[0]).rejects.toThrow("ended");
  await turn();
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const { resolve } of works) resolve();
  await Promise.all(done.slice(1));
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test("a place that nobody waited for is free again", async () => {
  const sideBySide = new SideBySide(1);
  let runs = 0;
  for (let n = 0; n < 3; n += 1)
    await sideBySide.run(async () => {
      runs += 1;
    });
  expect(runs).toBe(3);
});
