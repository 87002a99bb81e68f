// The program with Segment's crate for Rust, compiled into the project's cache: a minute of a core at the first use, nothing after it.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import { requireRust } from "#support/installed";

const TARGET = join(import.meta.dirname, "../../.cache/sdk-rust");

/** Resolves with the program's path. Cargo lets suites that ask at once wait for each other. */
export async function rustSdkProgram(): Promise<string> {
  requireRust();
  await promisify(execFile)("cargo", ["build", "--quiet", "--locked", "--target-dir", TARGET], {
    cwd: join(import.meta.dirname, "../sdk/rust"),
    env: environment,
  });
  return join(TARGET, "debug/send");
}
