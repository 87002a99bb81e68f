// What `npm start` and `npm test` do first, in plain JavaScript that runs on Node 18 and later: install what
// package-lock.json asks for when it is not there, then go on with the Node that comes with it (docs/decisions/0002).
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_MAJOR = 24;
const PARENT_CHECK_MS = 500;
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

/** The npm package that holds Node for this machine; the lock pins one for each platform (docs/decisions/0002). */
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

/** Runs `npm ci` when it is needed; ends this process with one message when it fails. */
export function install() {
  if (isInstalled()) return;
  const startedAt = Date.now();
  say("Installing what package-lock.json asks for (npm ci): about a minute the first time ...");
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    // npm's own progress goes to the terminal.
    stdio: ["ignore", "inherit", "inherit"],
    shell: isWindows,
  });
  if (error !== undefined) fail(`npm could not be run (${error.message}): install Node.js with npm.`);
  if (status !== 0) {
    fail(
      "npm ci failed, see above: this first run needs the npm registry (or a mirror: `npm config set registry`).",
    );
  }
  say(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/**
 * Runs a program of ours on the right Node, as if it had been called itself: arguments, streams, signals, exit code. It also
 * has a channel to this process, which breaks when this process is killed.
 */
export function runOnNode(args, cwd = ROOT) {
  const child = spawn(findNode(), args, { cwd, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  let isTold = false;
  const tell = (signal) => {
    isTold = true;
    child.kill(signal);
  };
  // A Ctrl-C reaches the child by itself, being in the same process group; it decides when both end.
  process.on("SIGINT", () => {
    isTold = true;
  });
  process.on("SIGTERM", () => tell("SIGTERM"));
  process.on("SIGHUP", () => tell("SIGHUP"));
  // npm hands a signal to the shell between, which dies of it alone: without its parent this one ends too.
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
