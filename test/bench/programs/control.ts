// How a benchmark talks to its programs, those in Go too (go/program): the first line out says where the program listens, then each
// line in is a question that one line of JSON answers. A program ends with its input.
import { createInterface } from "node:readline";
import { cpuSeconds } from "../cpu.ts";

const say = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`);

/** Answers every question with how many there were so far. */
export function answerWith(ports: readonly number[], count: () => number): void {
  say({ ports });
  createInterface(process.stdin)
    .on("line", () => say({ count: count(), cpuSeconds: cpuSeconds() }))
    .on("close", () => process.exit());
}
