import { expect, test } from "@jest/globals";
import type { CommandContext } from "./context.ts";
import { printTable } from "./output.ts";

test("a table may have any number of rows, and its columns are as wide as the widest of them", () => {
  const lines: string[] = [];
  const context = { isColoured: false, print: (line: string) => void lines.push(line) };
  const data = Array.from({ length: 200_000 }, (_, index) => ({ id: String(index), name: "n" }));
  printTable(context as CommandContext, { id: "id", name: "name" }, { data, next: null });
  expect([lines.length, lines[0], lines[1]]).toEqual([200_001, "ID      NAME", "0       n"]);
});
