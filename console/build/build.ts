// Builds the console with Vite into console/dist, whole or not at all, with a stamp of what it was built from.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build } from "vite";

const CONSOLE = join(import.meta.dirname, "..");
const ROOT = join(CONSOLE, "..");
export const DIST = join(CONSOLE, "dist");
/** Which file needs which, by source. */
export const MANIFEST = "manifest.json";
const STAMP = "stamp";
const SOURCES = "{index.html,tsconfig.json,main.tsx,{api,build,elements,pages,shell,styles}/**/*}";
const COMPRESSED = /\.(html|js|css|svg)$/;

const compress = promisify(gzip);

/** Of the contents, not the dates, which a checkout changes. */
function stampOfSources(): string {
  const hash = createHash("sha256");
  const sources = globSync(SOURCES, { cwd: CONSOLE }).sort();
  for (const file of [...sources.map((path) => join(CONSOLE, path)), join(ROOT, "package-lock.json")]) {
    if (/\.\w+$/.test(file)) hash.update(`${file.slice(ROOT.length)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Whether console/dist is what the sources give. */
export function isFresh(): boolean {
  const file = join(DIST, STAMP);
  return existsSync(file) && readFileSync(file, "utf8") === stampOfSources();
}

/** Rejects with what Vite says, and then leaves what was built before. */
export async function buildConsole(): Promise<void> {
  const stamp = stampOfSources();
  const partial = `${DIST}.partial-${process.pid}`;
  try {
    await bundle(partial);
    await compressAll(partial);
    await writeFile(join(partial, STAMP), stamp);
    await rm(DIST, { recursive: true, force: true });
    await rename(partial, DIST);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process that builds the same may have been first.
    if (!isFresh()) throw error;
  }
}

async function bundle(outDir: string): Promise<void> {
  // Vite takes from it which React it builds. Tests, and people, have values of their own: the one for development is three times as slow.
  // biome-ignore lint/style/noProcessEnv: Vite reads it nowhere else
  process.env["NODE_ENV"] = "production";
  await build({
    configFile: false,
    root: CONSOLE,
    base: "/console/",
    publicDir: false,
    cacheDir: join(ROOT, ".cache/vite"),
    logLevel: "error",
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      // The policy allows no data: URL.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: { fileName: "licenses.txt" },
      manifest: MANIFEST,
    },
  });
}

/** Beside each file one that control sends as it is; only where that is shorter. */
async function compressAll(folder: string): Promise<void> {
  for (const path of globSync("**/*", { cwd: folder }).filter((name) => COMPRESSED.test(name))) {
    const file = join(folder, path);
    const zipped = await compress(await readFile(file), { level: 9 });
    if (zipped.length < (await stat(file)).size) await writeFile(`${file}.gz`, zipped);
  }
}
