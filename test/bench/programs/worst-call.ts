// What one call costs a router at most: for each of the worst sources the CPU time of the whole call, and of its longest turn. One line of JSON.
import { RouterStage } from "../router-stage.ts";
import { cpuMs, longestTurnMs } from "../turn-watch.ts";
import { bodyOf, destinationsOf, WORST_SOURCES } from "../worst-sources.ts";

const ROUNDS = 9;

/** The first rounds run code that is not compiled yet. */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const stage = await RouterStage.open();
const figures: { name: string; records: number; callMs: number; turnMs: number }[] = [];
for (const source of WORST_SOURCES) {
  const found = destinationsOf(source);
  const route = (round: number) => stage.route(found, { event: source.event, body: bodyOf(round, source) });
  const [callMs, turnMs]: [number[], number[]] = [[], []];
  let records = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const beganAtMs = cpuMs();
    records = await route(round);
    callMs.push(cpuMs() - beganAtMs);
    turnMs.push(await longestTurnMs(async () => void (await route(ROUNDS + round))));
  }
  figures.push({ name: source.name, records, callMs: median(callMs), turnMs: median(turnMs) });
}
stage.close();
process.stdout.write(`${JSON.stringify(figures)}\n`);
