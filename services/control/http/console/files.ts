// The built console in memory: some twenty files, half a megabyte. A request finds a file by its whole path, so no path leads out of it.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";

/** Where `npm run console:build` and the image put it. */
const CONSOLE_FOLDER = join(import.meta.dirname, "../../../../console/dist");

export interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  /** Undefined where it was not worth compressing. */
  readonly gzip: Buffer | undefined;
  /** Its name has a hash of its content, so it never changes. */
  readonly isHashed: boolean;
}

/** By path below /console/, `index.html` among them. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};
/** Vite puts everything with a hash in its name there. */
const HASHED = /^assets\//;

/** Empty where the console is not built. Files of a type that it does not know are left out. */
export function readConsole(folder = CONSOLE_FOLDER): ConsoleFiles {
  const files = new Map<string, ConsoleFile>();
  if (!existsSync(join(folder, "index.html"))) return files;
  for (const path of globSync("**/*", { cwd: folder })) {
    const file = join(folder, path);
    const type = TYPES[extname(path)];
    if (type === undefined || !statSync(file).isFile()) continue;
    const zipped = `${file}.gz`;
    const gzip = existsSync(zipped) ? readFileSync(zipped) : undefined;
    files.set(path, { type, body: readFileSync(file), gzip, isHashed: HASHED.test(path) });
  }
  return files;
}
