// One project of docker compose, by its command line: what operators type is what is tried.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";

const ROOT = join(import.meta.dirname, "../..");
const FILES = ["docker-compose.yml"];
const THREE_BROKERS = "docker-compose.three-brokers.yml";
const run = promisify(execFile);

/** What the engine says of a service's container. */
export interface ContainerState {
  readonly id: string;
  readonly pid: number;
  /** Of one that was killed it is another one once it runs again. */
  readonly startedAt: string;
  readonly isHealthy: boolean;
}

/** Whether an engine answers, and has compose. */
export async function engineAnswers(): Promise<boolean> {
  try {
    await run("docker", ["info"], { env: environment });
    await run("docker", ["compose", "version"], { env: environment });
    return true;
  } catch {
    return false;
  }
}

export class Compose {
  readonly #base: readonly string[];

  /** `project` names its containers and volumes, so that nobody else's are touched. */
  constructor(project: string, { threeBrokers }: { readonly threeBrokers: boolean }) {
    const files = [...FILES, ...(threeBrokers ? [THREE_BROKERS] : [])];
    const named = files.flatMap((file) => ["--file", file]);
    this.#base = ["compose", "--project-name", project, ...named, "--profile", "demo"];
  }

  /** What it printed; rejects with what it said of its failure. */
  async run(...args: readonly string[]): Promise<string> {
    return await docker(...this.#base, ...args);
  }

  /** Rejects when the service has no container. */
  async state(service: string): Promise<ContainerState> {
    const id = (await this.run("ps", "--all", "--quiet", service)).trim();
    const [found] = JSON.parse(await docker("inspect", id));
    const { Health, Pid, StartedAt } = found.State;
    return { id, pid: Pid, startedAt: StartedAt, isHealthy: Health?.Status === "healthy" };
  }

  /**
   * Ends the service's first process as the kernel does when memory runs out; the engine starts it again. An engine on another machine,
   * or one whose processes are not ours, takes `docker kill` for a wish and has to be asked for the start, too.
   */
  async kill(service: string): Promise<void> {
    const { id, pid } = await this.state(service);
    const groups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
    if (groups.includes(id) && process.getuid?.() === 0) {
      process.kill(pid, "SIGKILL");
      return;
    }
    await docker("kill", id);
    await docker("start", id);
  }

  /** Of the image that the services run. */
  async imageBytes(): Promise<number> {
    const { id } = await this.state("ingest");
    const [{ Image }] = JSON.parse(await docker("inspect", id));
    const [{ Size }] = JSON.parse(await docker("image", "inspect", Image));
    return Size;
  }
}

async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("docker", args, { cwd: ROOT, env: environment, maxBuffer: 2 ** 26 });
  return stdout;
}
