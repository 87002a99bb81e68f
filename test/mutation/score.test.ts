import { describe, expect, test } from "@jest/globals";
import { isDrawn } from "./sample.ts";
import { FOLDERS, partOf } from "./scope.ts";
import { linesOf, type Mutant } from "./score.ts";

function mutant(fileName: string, status: string): Mutant {
  return {
    fileName,
    status,
    mutatorName: "Block",
    replacement: "{\n}",
    location: { start: { line: 6, column: 2 } },
  };
}

describe("the report", () => {
  const lines = linesOf([
    mutant("a/x.ts", "Killed"),
    mutant("a/x.ts", "Timeout"),
    mutant("a/x.ts", "Survived"),
    mutant("a/y.ts", "NoCoverage"),
    mutant("a/y.ts", "Ignored"),
    mutant("b/z.ts", "Killed"),
  ]);
  const cells = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.split(/ {2,}/));

  test("counts what was found, missed and not reached, by file, by folder and in all; what is left out does not count", () => {
    expect(cells("a/x.ts")).toEqual([["a/x.ts", "66.7 %", "2", "1", "0"]]);
    expect(cells("a/y.ts")).toEqual([["a/y.ts", "0.0 %", "0", "0", "1"]]);
    expect(cells("a")).toEqual([["a", "50.0 %", "2", "1", "1"]]);
    expect(cells("b")).toEqual([["b", "100.0 %", "1", "0", "0"]]);
    expect(cells("all")).toEqual([["all", "60.0 %", "3", "1", "1"]]);
  });

  test("names every fault that was missed, where it is and what it is", () => {
    expect(lines.slice(0, 4)).toEqual([
      "missed:",
      "  a/x.ts:6:3 Block: { }",
      "  a/y.ts:6:3 Block (no suite gets there): { }",
      "",
    ]);
  });

  test("says of a sample how many were drawn and how far the score of all may lie from theirs", () => {
    const many = (count: number, status: string) =>
      Array.from({ length: count }, () => mutant("a/x.ts", status));
    const drawn = [...many(85, "Killed"), ...many(15, "Survived"), ...many(300, "CompileError")];
    expect(linesOf(drawn, 0.25).at(-1)).toBe("± 6.1 points: 100 faults were drawn, 25 % of all");
    expect(linesOf(many(3, "CompileError"), 0.25).at(-1)).toBe("nothing was drawn");
  });
});

describe("a sample", () => {
  const faults = Array.from({ length: 2000 }, (_, line) => ({
    ...mutant("a/x.ts", "Pending"),
    replacement: "",
    location: { start: { line, column: 2 }, end: { line, column: 9 } },
  }));
  const drawn = (share: number, seed: number) => faults.filter((fault) => isDrawn(fault, { share, seed }));

  test("has about its share of the faults, the same ones each time; another seed draws others", () => {
    expect(drawn(0.2, 1).length / faults.length).toBeCloseTo(0.2, 1);
    expect(drawn(0.2, 1)).toEqual(drawn(0.2, 1));
    expect(drawn(0.2, 2)).not.toEqual(drawn(0.2, 1));
  });

  test("keeps what was drawn when its share grows", () => {
    const more = new Set(drawn(0.4, 1));
    expect(drawn(0.2, 1).filter((fault) => !more.has(fault))).toEqual([]);
  });
});

describe("the scope", () => {
  test("has code and unit suites in every folder", () => {
    for (const folder of FOLDERS) {
      const part = partOf(folder, folder);
      expect(part?.mutate.length).toBeGreaterThan(0);
      expect(part?.suites.length).toBeGreaterThan(0);
    }
  });

  test("leaves out tests, what only they use, and suites that need Kafka", () => {
    const part = partOf("packages/kafka", "packages/kafka");
    expect(part?.mutate).toContain("packages/kafka/consuming/tracker.ts");
    expect(part?.mutate.filter((path) => /test|fixture/.test(path))).toEqual([]);
    expect(part?.suites).toContain("packages/kafka/consuming/tracker.test.ts");
    expect(part?.suites).not.toContain("packages/kafka/producing/pipeline.test.ts");
    // It puts its own clock into the process.
    expect(part?.suites).not.toContain("packages/kafka/protocol/request-queue-patch.test.ts");
  });

  test("of a file is that file, judged by its folder's suites; of nothing it is nothing", () => {
    const part = partOf("packages/contract", "packages/contract/json.ts");
    expect(part?.mutate).toEqual(["packages/contract/json.ts"]);
    expect(part?.suites).toContain("packages/contract/accept-call.test.ts");
    expect(partOf("packages/contract", "packages/contract/none.ts")).toBeUndefined();
  });
});
