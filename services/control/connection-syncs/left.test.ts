import { expect, test } from "@jest/globals";
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { LeftDestinations } from "./left.ts";

const version = (updatedAtMs: number, enabled: boolean) => ({
  key: "d",
  decoded: {
    ...DESTINATION_DEFAULTS,
    id: "d",
    enabled,
    sourceIds: ["spa_default"],
    updatedAtMs,
  } as DestinationConfig,
});

test("the newest version by which a destination took nothing is known until it is deleted", () => {
  const left = new LeftDestinations();
  left.observe(version(1, true));
  expect(left.atMs("d")).toBeUndefined();
  for (const one of [version(2, false), version(4, false), version(3, false), version(5, true)])
    left.observe(one);
  expect(left.atMs("d")).toBe(4);
  left.observe({ key: "d", decoded: undefined });
  expect(left.atMs("d")).toBeUndefined();
});
