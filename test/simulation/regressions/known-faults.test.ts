import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AUDIENCE_FAULTS } from "./audience-faults.ts";
import { KNOWN_FAULTS } from "./faults.ts";
import { IMPORT_FAULTS } from "./import-faults.ts";
import { MEMBER_FAULTS } from "./member-faults.ts";
import { ONE_EDIT_FAULTS } from "./one-edit-faults.ts";
import { createScratchCopy, type ScratchCopy } from "./scratch-copy.ts";

const TIMEOUT_MS = 600_000;

let copy: ScratchCopy;

beforeAll(async () => {
  copy = await createScratchCopy();
}, TIMEOUT_MS);

afterAll(() => copy?.remove());

describe("a fault is found when it is put into the code", () => {
  test.each(
    [...KNOWN_FAULTS, ...ONE_EDIT_FAULTS, ...AUDIENCE_FAULTS, ...MEMBER_FAULTS, ...IMPORT_FAULTS].map(
      (fault) => ({ fault, name: fault.name }),
    ),
  )(
    "$name",
    async ({ fault }) => {
      expect(await copy.firstFailure(fault)).toBeDefined();
    },
    TIMEOUT_MS,
  );
});
