import { afterEach, describe, expect, test } from "@jest/globals";
import { AUDIENCE_FAULTS } from "./audience-faults.ts";
import { KNOWN_FAULTS } from "./faults.ts";
import { copyWith, type ScratchCopy } from "./scratch-copy.ts";

const TIMEOUT_MS = 180_000;

let copy: ScratchCopy | undefined;

afterEach(async () => {
  await copy?.remove();
});

describe("a fault that was in the code once is found when it is back", () => {
  test.each([...KNOWN_FAULTS, ...AUDIENCE_FAULTS].map((fault) => ({ fault, name: fault.name })))(
    "$name",
    async ({ fault }) => {
      copy = await copyWith(fault);
      expect(await copy.firstFailure()).toBeDefined();
    },
    TIMEOUT_MS,
  );
});
