// Refuses two rooms, folders of one service, package or tool, that import each other: one of them cannot be read, moved or tested without the other.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FILES = "{packages,services,cli,dev}/**/*.ts";
/** Tests may look from both sides. */
const NOT_PRODUCT = /\.test\.ts$|\/fixtures\//;
const IMPORT = /(?:from|import) "(?<target>\.[^"]+)"/g;

/** The first import of each room by each other. */
const imports = new Map<string, Map<string, string>>();

function addImportsOf(file: string): void {
  const room = dirname(file);
  const text = readFileSync(join(ROOT, file), "utf8");
  for (const { groups } of text.matchAll(IMPORT)) {
    const other = dirname(join(room, groups?.["target"] ?? ""));
    // The folder that a room is in puts it together with others.
    if (`${room}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${room}/`)) continue;
    const of = imports.get(room) ?? new Map<string, string>();
    imports.set(room, of.set(other, of.get(other) ?? file));
  }
}

for (const file of globSync(FILES, { cwd: ROOT }).filter((name) => !NOT_PRODUCT.test(name)))
  addImportsOf(file);
const found = [...imports].flatMap(([room, others]) =>
  [...others].flatMap(([other, file]) => {
    const back = room < other ? imports.get(other)?.get(room) : undefined;
    return back === undefined ? [] : [`${file} imports ${other}, and ${back} imports ${room}\n`];
  }),
);
process.stderr.write(imports.size === 0 ? `no imports in ${FILES}\n` : found.join(""));
process.exitCode = imports.size === 0 || found.length > 0 ? 1 : 0;
