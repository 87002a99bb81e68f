// `npm run console:size`: what a browser loads for the first page, compressed; refuses more than 200 KB. Other pages load more when they are opened.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildConsole, DIST, isFresh, MANIFEST } from "./build.ts";

const MOST_BYTES = 200 * 1024;
/** The page of /console/ is loaded right after the entry. */
const FIRST = ["index.html", "pages/overview/overview.tsx"];

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
  /** Names of other chunks. */
  readonly imports?: readonly string[];
}

const sizeOf = (path: string): number => {
  const file = join(DIST, path);
  return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size;
};

if (!isFresh()) await buildConsole();
const chunks = JSON.parse(readFileSync(join(DIST, MANIFEST), "utf8")) as Readonly<Record<string, Chunk>>;

/** Files of a chunk and of all that it imports. */
function filesOf(name: string, seen = new Set<string>()): string[] {
  const chunk = chunks[name];
  if (chunk === undefined) throw new Error(`${MANIFEST} has no ${name}`);
  if (seen.has(name)) return [];
  seen.add(name);
  const { assets = [], css = [], file, imports = [] } = chunk;
  return [file, ...css, ...assets, ...imports.flatMap((other) => filesOf(other, seen))];
}

const first = [...new Set(["index.html", ...FIRST.flatMap((name) => filesOf(name))])];
const later = globSync("assets/*.{js,css}", { cwd: DIST }).filter((path) => !first.includes(path));
const total = first.reduce((sum, path) => sum + sizeOf(path), 0);
const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1).padStart(7)} KB`;
const line = (path: string): string => `${kib(sizeOf(path))}  ${path}\n`;
process.stdout.write(`The first page, of at most ${MOST_BYTES / 1024} KB:\n${first.map(line).join("")}`);
process.stdout.write(`${kib(total)}  together\nWhen a page needs it:\n${later.map(line).join("")}`);
if (total > MOST_BYTES) {
  process.stderr.write(
    `console:size: the first page has ${total} bytes; load something of it later, with import()\n`,
  );
  process.exitCode = 1;
}
