// Puts the digests of the images of today behind their tags: `node deploy/release/pin-images.ts`. It asks their registries by
// `docker buildx imagetools inspect`. With --check it asks nobody, and refuses an image without a digest.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { imagesIn, pinned, unpinnedIn } from "./images.ts";

/** Below the folder that it is started in. */
const FILES = ["Dockerfile", "docker-compose.yml", "docker-compose.three-brokers.yml"];

function digestOf(image: string): string {
  const format = "{{json .Manifest}}";
  const args = ["buildx", "imagetools", "inspect", image, "--format", format];
  const { status, stdout, stderr, error } = spawnSync("docker", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${image}: ${error?.message ?? stderr.trim()}`);
  // Of the index, where there is one: it holds for every architecture.
  return (JSON.parse(stdout) as { readonly digest: string }).digest;
}

const texts = new Map(FILES.map((file) => [file, readFileSync(file, "utf8")]));
try {
  if (process.argv.includes("--check")) {
    for (const [file, text] of texts)
      for (const image of unpinnedIn(text)) {
        process.stderr.write(`${file} names ${image} without a digest: run deploy/release/pin-images.ts\n`);
        process.exitCode = 1;
      }
  } else {
    const images = new Set([...texts.values()].flatMap(imagesIn));
    const digests = new Map([...images].map((image) => [image, digestOf(image)]));
    const written = [...texts].map(([file, text]) => [file, pinned(text, digests)] as const);
    for (const [file, text] of written) writeFileSync(file, text);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}; nothing was changed\n`);
  process.exitCode = 1;
}
