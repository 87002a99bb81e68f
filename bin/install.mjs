// What `npm start` and `npm test` do first, in plain JavaScript that runs on Node 18 and later: install what
// package-lock.json asks for when it is not there, then go on with the Node that comes with it (decision 2).
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_MAJOR = 24;
const PARENT_CHECK_MS = 500;
const LOCK = join(ROOT, ".cache", "install.lock");
const LOCK_POLL_MS = 200;
/** Nobody takes so long to write a process id. */
const LOCK_WRITTEN_MS = 5_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Nobody presses a key twice within it. */
const SAME_SIGNAL_MS = 500;
const isWindows = process.platform === "win32";

function say(line) {
  process.stderr.write(`${line}\n`);
}

/** One clear message and the end. */
function fail(message) {
  say(message);
  process.exit(1);
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages;
}

/** The npm package that holds Node for this machine; the lock pins one for each platform (decision 2). */
function nodePackage() {
  const isAppleSilicon = process.platform === "darwin" && process.arch === "arm64";
  const platform = isWindows ? "win" : process.platform;
  return `node_modules/${isAppleSilicon ? "node-bin" : "node"}-${platform}-${process.arch}`;
}

/**
 * Whether node_modules holds every package of package-lock.json in its version. npm keeps the list of what it installed in
 * node_modules/.package-lock.json and writes it last, so an interrupted installation has none. Dates are
 * not asked: a checkout changes them.
 */
function isInstalled() {
  const installedFile = join(ROOT, "node_modules", ".package-lock.json");
  if (!existsSync(installedFile)) return false;
  const installed = packagesOf(installedFile);
  return Object.entries(packagesOf(join(ROOT, "package-lock.json"))).every(([path, wanted]) => {
    // The first is the project itself. Optional ones are for other platforms, but for this one's Node.
    const isNeeded = path !== "" && (wanted.optional !== true || path === nodePackage());
    return !isNeeded || installed[path]?.version === wanted.version;
  });
}

/** Whether anything is installed at all, if only what production needs. */
export function hasPackages() {
  return existsSync(join(ROOT, "node_modules", ".package-lock.json"));
}

/** Whether the Node that runs this is new enough for the product. */
export function isNewEnough() {
  return Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR;
}

/** Node that npm installed, or the one that runs this when it is new enough. */
function findNode() {
  const packaged = join(ROOT, nodePackage(), "bin", isWindows ? "node.exe" : "node");
  if (existsSync(packaged) && spawnSync(packaged, ["--version"]).status === 0) return packaged;
  if (isNewEnough()) return process.execPath;
  return fail(
    `Node ${NEEDED_MAJOR} is not there: npm did not install ${nodePackage()} (are optional packages left out? ` +
      `Try \`npm ci --include=optional\`, or run this with Node ${NEEDED_MAJOR} or later).`,
  );
}

function lockHolder() {
  try {
    return Number(readFileSync(LOCK, "utf8"));
  } catch {
    return 0;
  }
}

/** The holder was killed: it is gone, its id is this process's by now (as in each new container), or it did not get to write it. */
function isLeftBehind() {
  const holder = lockHolder();
  if (holder !== 0) return holder === process.pid || !isAlive(holder);
  const { mtimeMs } = statSync(LOCK, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
  return Date.now() - mtimeMs > LOCK_WRITTEN_MS;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

/** Two that install into one folder at once take each other's files away. A holder that was killed leaves its lock behind. */
async function withLock(work) {
  mkdirSync(dirname(LOCK), { recursive: true, mode: 0o700 });
  for (let waits = 0; !takeLock(); waits++) {
    if (waits === 0) say("Another process installs here; waiting for it ...");
    if (isLeftBehind()) rmSync(LOCK, { force: true });
    else await delay(LOCK_POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** To the end of `npm ci`; a signal ends it, and this process after it. */
async function runNpm() {
  const child = spawn("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    // npm's own progress goes to the terminal.
    stdio: ["ignore", "inherit", "inherit"],
    shell: isWindows,
  });
  let endedBy;
  const end = (signal) => {
    endedBy = signal;
    child.kill("SIGTERM");
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const { status, error } = await new Promise((resolve) => {
    child.on("error", (error) => resolve({ error }));
    child.on("exit", (status) => resolve({ status }));
  });
  for (const signal of SIGNALS) process.off(signal, end);
  return { status, error, endedBy };
}

/** Gives what is wrong, for people. */
async function installNow() {
  // Whoever had the lock before may have done it.
  if (isInstalled()) return;
  const startedAt = Date.now();
  say("Installing what package-lock.json asks for (npm ci): about a minute the first time ...");
  const { status, error, endedBy } = await runNpm();
  if (endedBy !== undefined) {
    process.exitCode = 128 + constants.signals[endedBy];
    return;
  }
  if (error !== undefined) return `npm could not be run (${error.message}): install Node.js with npm.`;
  if (status !== 0)
    return "npm ci failed, see above: this first run needs the npm registry (or a mirror: `npm config set registry`).";
  say(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/** Prints what a file of the clone says, when `--help` is asked for: that needs nothing installed. */
export function printsHelp(file) {
  if (!process.argv.slice(2).some((argument) => argument === "--help" || argument === "-h")) return false;
  process.stdout.write(readFileSync(join(ROOT, file)));
  return true;
}

/** Runs `npm ci` when it is needed, one process at a time; ends this process, with one message, when it fails. */
export async function install() {
  if (isInstalled()) return;
  const problem = await withLock(installNow);
  if (problem !== undefined) fail(problem);
  if (process.exitCode !== undefined) process.exit();
}

/** Hands a signal on once: npm hands on what the whole group gets as well, so that it comes twice. */
function onceEach(tell) {
  const toldAt = new Map();
  return (signal) => {
    const now = performance.now();
    if (now - (toldAt.get(signal) ?? -SAME_SIGNAL_MS) >= SAME_SIGNAL_MS) tell(signal);
    toldAt.set(signal, now);
  };
}

/**
 * Runs a program of ours on the right Node, as if it had been called itself: arguments, streams, signals, exit code. It also
 * has a channel to this process, which breaks when this process is killed. With `ownGroup` it gets signals from this process
 * alone, each once, whoever else the terminal or a program sends them to; it must end when the channel breaks.
 */
export function runOnNode(args, { cwd = ROOT, ownGroup = false } = {}) {
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = spawn(findNode(), args, { cwd, stdio, detached: ownGroup && !isWindows });
  let isTold = false;
  const tell = onceEach((signal) => {
    isTold = true;
    child.kill(signal);
  });
  for (const signal of SIGNALS) {
    // A Ctrl-C reaches a child of the same group by itself.
    const isThere = signal === "SIGINT" && !ownGroup;
    process.on(signal, isThere ? () => (isTold = true) : tell);
  }
  // A shell between npm and this process may die of a signal alone: without its parent this one ends too.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !isTold) tell("SIGTERM");
  }, PARENT_CHECK_MS).unref();
  child.on("error", (error) => fail(`Node could not be run: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0);
    process.exit();
  });
}
