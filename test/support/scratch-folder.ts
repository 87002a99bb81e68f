import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Under jest those of one suite, which its environment removes when all hooks have run (test/jest/environment.mjs). */
const folders = (globalThis as { scratchFolders?: string[] }).scratchFolders ?? ofProcess();

function ofProcess(): string[] {
  const made: string[] = [];
  process.once("exit", () => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  return made;
}

/** An empty folder that somebody else removes: a test that fails leaves nothing either. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-"));
  folders.push(folder);
  return folder;
}
