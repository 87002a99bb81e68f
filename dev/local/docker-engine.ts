import { existsSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Environment } from "#runtime";
import { StackError } from "./stack-error.ts";

const ANSWER_TIMEOUT_MS = 3000;
// A registry that cannot be reached must not hold anybody up: no progress for this long ends the attempt.
const PULL_STALL_MS = 20_000;
const PULL_TIMEOUT_MS = 5 * 60_000;

/** The address of an engine's HTTP API. */
export type EngineAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number };

/** Addresses at which a Docker engine may be, the likeliest first. */
export function engineAddresses(environment: Environment, homeFolder: string): EngineAddress[] {
  const given = environment["DOCKER_HOST"] ?? "";
  if (given.startsWith("unix://")) return [{ socketPath: given.slice("unix://".length) }];
  if (given.startsWith("tcp://")) {
    const { hostname, port } = new URL(given);
    return [{ host: hostname, port: Number(port === "" ? "2375" : port) }];
  }
  const runtimeFolder = environment["XDG_RUNTIME_DIR"];
  return [
    { socketPath: "/var/run/docker.sock" },
    ...(runtimeFolder === undefined ? [] : [{ socketPath: join(runtimeFolder, "docker.sock") }]),
    { socketPath: join(homeFolder, ".docker/run/docker.sock") },
    { socketPath: join(homeFolder, ".docker/desktop/docker.sock") },
  ];
}

interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The time without a byte of the answer after which a request fails. */
  readonly stallMs: number;
}

function ask(address: EngineAddress, { method, path, stallMs }: Question): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...address, method, path, timeout: stallMs, agent: false }, resolve);
    asked.on("timeout", () => asked.destroy(new Error(`no answer for ${stallMs / 1000} s`)));
    asked.on("error", reject);
    asked.end();
  });
}

async function isOk(address: EngineAddress, path: string): Promise<boolean> {
  try {
    const answer = await ask(address, { method: "GET", path, stallMs: ANSWER_TIMEOUT_MS });
    answer.destroy();
    return answer.statusCode === 200;
  } catch {
    return false;
  }
}

/** The first engine that answers. Never rejects. */
export async function findEngine(addresses: readonly EngineAddress[]): Promise<EngineAddress | undefined> {
  for (const address of addresses) {
    if ("socketPath" in address && !existsSync(address.socketPath)) continue;
    if (await isOk(address, "/_ping")) return address;
  }
  return undefined;
}

/** Reads the engine's progress to its end; a failed pull says so in the stream, after status 200. */
async function readProgress(answer: IncomingMessage): Promise<void> {
  for await (const line of createInterface({ input: answer })) {
    const { error } = JSON.parse(line) as { error?: string };
    if (error !== undefined) throw new Error(error);
  }
  if (!answer.complete) throw new Error("the engine broke off");
}

async function pull(address: EngineAddress, image: string): Promise<void> {
  const [name = "", tag = ""] = image.split(":");
  const path = `/images/create?fromImage=${encodeURIComponent(name)}&tag=${encodeURIComponent(tag)}`;
  const answer = await ask(address, { method: "POST", path, stallMs: PULL_STALL_MS });
  const timer = setTimeout(() => answer.destroy(new Error("it took too long")), PULL_TIMEOUT_MS);
  try {
    if (answer.statusCode !== 200) throw new Error(`the engine answered ${answer.statusCode}`);
    await readProgress(answer);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes sure that the engine has an image. Rejects, within bounded time, when it cannot be had. */
export async function ensureImage(
  address: EngineAddress,
  image: string,
  log: (line: string) => void,
): Promise<void> {
  if (await isOk(address, `/images/${image}/json`)) return;
  log(`Pulling ${image} ...`);
  try {
    await pull(address, image);
  } catch (error) {
    throw new StackError("unavailable", `${image} could not be pulled: ${(error as Error).message}`);
  }
}
