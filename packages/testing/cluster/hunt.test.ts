import { describe, expect, test } from "@jest/globals";
import { Hunt } from "./fixtures/hunt.ts";

const SEEDS = 60;

describe("a group that copies a topic while members die, freeze and are cut off, and brokers come and go", () => {
  test("loses nothing, moves no commit back and has nothing left in hand", async () => {
    const findings: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      for (const finding of await new Hunt(seed).findings()) findings.push(`seed ${seed}: ${finding}`);
    }
    expect(findings).toEqual([]);
  }, 120_000);
});
