// Checks of this machine: its Node, its disk, its clock.
import { access, constants, mkdir, statfs } from "node:fs/promises";
import { resolve } from "node:path";
import { dataDirSettings, readSettings } from "#runtime";
import type { CommandContext } from "../context.ts";
import { type Finding, reasonOf } from "./check.ts";

const NEEDED_MAJOR = 24;
const LEAST_FREE_BYTES = 1_000_000_000;
const GIGABYTE = 1_000_000_000;
/** Calls are corrected by what their sender says the time is; a clock that is farther off moves their timestamps. */
const MOST_SKEW_MS = 2_000;

export function checkNode(): Finding {
  const { node } = process.versions;
  if (Number(node.split(".")[0]) >= NEEDED_MAJOR)
    return { check: "Node", state: "ok", found: `version ${node}` };
  return {
    check: "Node",
    state: "wrong",
    found: `version ${node}`,
    advice: `Install Node ${NEEDED_MAJOR} or later.`,
  };
}

/** The folder for local state is made when it is not there, as a service would. */
export async function checkDisk({ environment }: CommandContext): Promise<Finding> {
  const { data } = readSettings({ data: dataDirSettings }, { processName: "hookline doctor", environment });
  const folder = resolve(data.dataDir);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const found = `${folder} has ${((Number(bavail) * Number(bsize)) / GIGABYTE).toFixed(1)} GB free`;
    if (Number(bavail) * Number(bsize) >= LEAST_FREE_BYTES) return { check: "disk", state: "ok", found };
    const advice = "Give it more room: the router, the audience processor and control stop when it is full.";
    return { check: "disk", state: "warning", found, advice };
  } catch (error) {
    const advice = "HOOKLINE_DATA_DIR names a folder that the process may write to.";
    return { check: "disk", state: "wrong", found: `${folder} cannot be used: ${reasonOf(error)}`, advice };
  }
}

/** Compares this machine's clock with that of a Date header's sender. The header has whole seconds. */
export function checkClock(dateHeader: string | null, who: string): Finding {
  const theirsMs = Date.parse(dateHeader ?? "");
  if (Number.isNaN(theirsMs)) {
    const found = `${who} did not say what time it is`;
    return {
      check: "clock",
      state: "warning",
      found,
      advice: "Compare it by hand: `date -u` on both machines.",
    };
  }
  const skewMs = Date.now() - theirsMs;
  const found = `${(Math.abs(skewMs) / 1000).toFixed(1)} s from ${who}'s`;
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return { check: "clock", state: "ok", found };
  return { check: "clock", state: "wrong", found, advice: "Let NTP set the clocks of all machines." };
}
