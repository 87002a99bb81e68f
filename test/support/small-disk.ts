import { spawnSync } from "node:child_process";

/**
 * Runs a module in a process whose files can be no longer than so many blocks of 512 or 1,024 bytes, by the shell: what goes
 * beyond is refused as on a full disk, with EFBIG. Gives the lines that it prints; its arguments are `process.argv.slice(1)`.
 */
export function linesOnSmallDisk(blocks: number, program: string, ...args: readonly string[]): string[] {
  const limited = ["-c", `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath];
  const { stdout } = spawnSync("sh", [...limited, "--input-type=module", "-e", program, ...args], {
    encoding: "utf8",
  });
  return stdout.trim().split("\n");
}
