// The schemas of Kubernetes' API with unknown fields refused, out of a package of PyPI's, pinned by its hash, in the project's cache.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environment } from "#support/environment";

const CACHE = join(import.meta.dirname, "../../.cache/kubernetes");
const KUBERNETES = "1.37.0";
const PACKAGE = `kubernetes-validate==${KUBERNETES}`;
const SHA256 = "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9";
const FOLDER = `kubernetes_validate/kubernetes-json-schema/v${KUBERNETES}-local-strict`;

const UNPACK = `
import glob, sys, zipfile
with zipfile.ZipFile(glob.glob("*.whl")[0]) as wheel:
    wheel.extractall(members=[name for name in wheel.namelist() if name.startswith(sys.argv[1] + "/")])
`;

function python(args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync("python3", args, { cwd, encoding: "utf8", env: environment });
  if (status !== 0) throw new Error(`python3 ${args[1]}: ${error?.message ?? stderr.trim()}`);
}

/** Folder with a schema for each kind, as deployment-apps-v1.json. Downloaded beside its place and renamed: it is there whole or not at all. */
export function kubernetesSchemas(): string {
  const folder = join(CACHE, KUBERNETES);
  if (!existsSync(folder)) {
    const partial = `${folder}.${process.pid}.partial`;
    mkdirSync(partial, { recursive: true });
    writeFileSync(join(partial, "requirements.txt"), `${PACKAGE} --hash=sha256:${SHA256}\n`);
    const pip = [
      "-m",
      "pip",
      "download",
      "--quiet",
      "--no-deps",
      "--require-hashes",
      "-r",
      "requirements.txt",
    ];
    try {
      python(pip, partial);
      python(["-c", UNPACK, FOLDER], partial);
      renameSync(join(partial, FOLDER), folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return folder;
}
