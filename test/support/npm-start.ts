import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { environment } from "#support/environment";
import { until } from "#support/until";
import { fetchSoftware } from "../../dev/local/software.ts";

const ROOT = join(import.meta.dirname, "../..");
const END_TIMEOUT_MS = 60_000;

/** `npm start` as a person runs it in a terminal: npm and everything in the foreground in one process group. */
export interface NpmStart {
  /** Everything it printed so far. */
  readonly lines: readonly string[];
  readonly untilLine: (pattern: RegExp, timeoutMs: number) => Promise<RegExpExecArray>;
  /** What Ctrl-C in the terminal does: SIGINT to the whole foreground group. */
  readonly pressCtrlC: () => void;
  /** A signal to npm alone, to the Node that npm runs, or to all of the foreground group. */
  readonly signal: (to: "npm" | "node" | "group", name: NodeJS.Signals) => Promise<void>;
  /** Closes the terminal that it was started in. */
  readonly closeTerminal: () => void;
  /** SIGKILL to all of the foreground group. */
  readonly kill: () => void;
  /** npm's; null when npm says, by a signal to itself, that it was interrupted. */
  readonly exitCode: () => Promise<number | null>;
  /** Command lines, by process id, of what runs because of it. */
  readonly processes: () => Promise<ReadonlyMap<number, string>>;
}

/** The environment of a fresh shell, and the ports out of everybody's way. */
function freshEnvironment(settings: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const bare = Object.entries(environment).filter(([name]) => !/^(HOOKLINE_|npm_)/.test(name));
  return {
    ...Object.fromEntries(bare),
    HOOKLINE_INGEST_PORT: "0",
    HOOKLINE_CONTROL_PORT: "0",
    HOOKLINE_METRICS_PORT: "0",
    ...settings,
  };
}

async function commandLine(pid: string, mark: string): Promise<string | undefined> {
  try {
    const environ = await readFile(`/proc/${pid}/environ`, "utf8");
    if (!environ.includes(mark)) return undefined;
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
  } catch {
    // It ended while it was looked at.
    return undefined;
  }
}

/** Every process that inherited the mark, told from all others of the machine by Linux's /proc. */
async function processesWith(mark: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await commandLine(pid, mark);
    if (line !== undefined && line !== "") found.set(Number(pid), line);
  }
  return found;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}

/** Runs its arguments in a terminal of their own, which closes when this is killed. */
const TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        os.write(1, os.read(terminal, 4096))
    except OSError:
        break
`;

export interface NpmStartOptions {
  /** Of the package; the product's unless given. */
  readonly cwd?: string;
  readonly hasTerminal?: boolean;
  /** Behind `npm start --`. */
  readonly args?: readonly string[];
}

/** A cache folder of its own, so that the data of the clone is left alone; what was downloaded is shared. To be removed. */
export async function temporaryCache(): Promise<string> {
  const cache = await mkdtemp(join(tmpdir(), "hookline-cache-"));
  const shared = { cacheFolder: join(ROOT, ".cache"), environment, log: () => undefined };
  const folder = dirname((await fetchSoftware(shared)).kafkaArchive);
  await symlink(folder, join(cache, basename(folder)));
  return cache;
}

/** Ends when no process is left of it. */
export async function untilGone(npm: NpmStart): Promise<void> {
  await until(async () => (await npm.processes()).size === 0, {
    timeoutMs: 60_000,
    what: "no process to be left",
  });
}

/** The lines for another shell, which it prints behind the one that says that it is ready. */
export async function linesForAnotherShell({ lines, untilLine }: NpmStart): Promise<readonly string[]> {
  // The last of them.
  await untilLine(/^ {2}hookline\(\) /, 60_000);
  return lines.filter((line) => /^ {2}(?:export|hookline\(\)) /.test(line));
}

/** Runs `npm start`. Whoever runs it must end it. */
export function npmStart(
  settings: Readonly<Record<string, string>> = {},
  { cwd = ROOT, hasTerminal = false, args = [] }: NpmStartOptions = {},
): NpmStart {
  const mark = randomUUID();
  const npm = ["npm", "start", ...(args.length > 0 ? ["--", ...args] : [])];
  const command = hasTerminal ? ["python3", "-c", TERMINAL, ...npm] : npm;
  const child = spawn(command[0] ?? "", command.slice(1), {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    // The one variable that every process is given, whatever it needs beside it.
    env: { ...freshEnvironment(settings), PATH: `${environment["PATH"]}:/${mark}` },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => lines.push(line));
  }
  const exited = once(child, "exit") as Promise<[number | null]>;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const find = (pattern: RegExp): RegExpExecArray | undefined =>
    lines.map((line) => pattern.exec(line)).find((match) => match !== null);
  return {
    lines,
    untilLine: async (pattern, timeoutMs) => {
      const said = (): string => `${pattern}; it printed\n${lines.join("\n")}`;
      const match = await until(() => find(pattern) ?? (hasEnded() ? "ended" : undefined), {
        timeoutMs,
        what: said,
      });
      if (match === "ended") throw new Error(`npm start ended before ${said()}`);
      return match;
    },
    pressCtrlC: () => signalGroup(child, "SIGINT"),
    async signal(to, name) {
      if (to === "npm") child.kill(name);
      if (to === "group") signalGroup(child, name);
      if (to !== "node") return;
      for (const [pid, line] of await processesWith(mark))
        if (/^\S*node \S*start\.mjs/.test(line)) process.kill(pid, name);
    },
    closeTerminal: () => {
      child.kill("SIGKILL");
    },
    kill: () => signalGroup(child, "SIGKILL"),
    exitCode: async () => {
      await until(hasEnded, {
        timeoutMs: END_TIMEOUT_MS,
        what: () => `the end of npm start; it printed\n${lines.join("\n")}`,
      });
      return (await exited)[0];
    },
    processes: () => processesWith(mark),
  };
}
