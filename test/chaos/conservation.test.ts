// A short conservation run: every kind of event once, from a seed (npm run chaos has the long ones).
import { expect, test } from "@jest/globals";
import { hadTime, isConserved, reportLines, reportOf, SESSION_TIMEOUT_MS } from "./report.ts";
import { runConservation } from "./run.ts";

const RUN = { seed: 1, calls: 1_500, callsPerSecond: 25, isHurried: true };
/** Minutes on a machine of its own; a small one that does other things at the same time takes its time. */
const TIMEOUT_MS = 15 * 60_000;

test(
  "whatever happens to processes, brokers and network, no acknowledged call is lost, altered or dead without a reason",
  async () => {
    const lines: string[] = [];
    const result = await runConservation({ ...RUN, log: (line) => lines.push(line) });
    const report = reportOf(result, RUN);
    process.stdout.write(`${[...lines, ...reportLines(report)].join("\n")}\n`);
    const { lost, altered, unexplained } = report;
    expect({ lost, altered, unexplained }).toEqual({ lost: [], altered: [], unexplained: [] });
    expect(isConserved(report)).toBe(true);
    expect(report.calls.acknowledged).toBeGreaterThanOrEqual(RUN.calls);
    // A call comes twice only near what befell its process, and a user's calls change places only there.
    const inverted = hadTime(report) ? report.order.inverted : [];
    expect({ farFromEvents: report.duplicates.farFromEvents, inverted }).toEqual({
      farFromEvents: 0,
      inverted: [],
    });
    expect(report.lateWork.longestMs).toBeLessThanOrEqual(SESSION_TIMEOUT_MS);
    const { gone, failing } = report.byDestination;
    expect([gone?.dead, failing?.dead]).toEqual([gone?.due, failing?.due]);
    expect(Object.keys(report.events).sort()).toEqual(
      ["broker", "cut", "freeze", "kill", "leaders", "registry", "scale", "stop"].sort(),
    );
  },
  TIMEOUT_MS,
);
