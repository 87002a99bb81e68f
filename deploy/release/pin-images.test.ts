// No registry can be reached from tests: a docker that answers as `docker buildx imagetools inspect` does stands in for it.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { scratchFolder } from "#support/scratch-folder";
import { imagesIn, unpinnedIn } from "./images.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = ["Dockerfile", "docker-compose.yml", "docker-compose.three-brokers.yml"];

let folder: string;

beforeEach(() => {
  folder = scratchFolder();
  for (const file of FILES) copyFileSync(join(ROOT, file), join(folder, file));
});

const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const everyImage = (): string[] => [...new Set(FILES.flatMap((file) => imagesIn(textOf(file))))];

function pin(...args: readonly string[]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "pin-images.ts"), ...args],
    {
      cwd: folder,
      env: { ...environment, PATH: `${folder}${delimiter}${environment["PATH"]}` },
      encoding: "utf8",
    },
  );
  return { status, stderr };
}

/** Gives each image the SHA-256 of its name, whatever `answer` is given. */
function registry(answer = '"sha256:$(printf %s "$4" | sha256sum | cut -d " " -f 1)"'): void {
  const line = `printf '{"digest":%s}' "\\"$(printf '%s' ${answer})\\""`;
  writeFileSync(join(folder, "docker"), `#!/bin/sh\necho "$4" >> asked\n${line}\n`, { mode: 0o755 });
}

test("a release names each image that is not built here by tag and digest, as its registry says", () => {
  registry();
  const images = everyImage();
  expect(images).toEqual(
    expect.arrayContaining(["node:24-bookworm-slim", "apache/kafka:4.3.1", "grafana/grafana:12.1.0"]),
  );
  expect(images.length).toBe(7);
  expect(pin()).toEqual({ status: 0, stderr: "" });
  expect(textOf("asked").trim().split("\n").toSorted()).toEqual(images.toSorted());
  expect(textOf("Dockerfile")).toMatch(/^ARG BUILD_IMAGE=node:24-bookworm-slim@sha256:[0-9a-f]{64}$/m);
  expect(textOf("docker-compose.yml")).toMatch(/image: apache\/kafka:4\.3\.1@sha256:[0-9a-f]{64}$/m);
  // The image of the product is what the release itself makes.
  expect(textOf("docker-compose.yml")).toContain(`image: \${IMAGE_NAME:-hookline:local}\n`);
  expect(pin("--check")).toEqual({ status: 0, stderr: "" });
  const before = FILES.map(textOf);
  expect(pin()).toEqual({ status: 0, stderr: "" });
  expect(FILES.map(textOf)).toEqual(before);
});

test("every image of the repository has a digest but one, whose digest no public repository names (decision 79)", () => {
  const unpinned = FILES.flatMap((file) => unpinnedIn(textOf(file)));
  expect(unpinned).toEqual(["apicurio/apicurio-registry:3.0.9"]);
});

test("an image without a digest, or with half of one, is refused", () => {
  registry();
  pin();
  const whole = textOf("docker-compose.yml");
  writeFileSync(
    join(folder, "docker-compose.yml"),
    whole.replace(/(?<=prometheus:\S+@sha256:\w{60})\w+/, ""),
  );
  writeFileSync(join(folder, "Dockerfile"), textOf("Dockerfile").replace(/(?<=cc-debian12)@\S+/, ""));
  const { status, stderr } = pin("--check");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Dockerfile names gcr\.io\/distroless\/cc-debian12 without a digest/);
  expect(stderr).toContain("docker-compose.yml names prom/prometheus:v3.5.0@sha256:");
  expect(stderr.trim().split("\n")).toHaveLength(2);
});

test("a registry that says no digest, or nothing, changes no file", () => {
  const before = FILES.map(textOf);
  registry("latest");
  expect(pin()).toEqual({ status: 1, stderr: expect.stringContaining("has no digest") });
  writeFileSync(join(folder, "docker"), "#!/bin/sh\necho 'no route to host' >&2\nexit 1\n", { mode: 0o755 });
  expect(pin()).toEqual({ status: 1, stderr: expect.stringContaining("no route to host") });
  expect(FILES.map(textOf)).toEqual(before);
});
