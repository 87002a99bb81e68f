import type { FailedSeed } from "./seed.ts";

/** What a process that runs seeds says to the one that shares them out, a JSON object a line. */
export type Report =
  | { readonly kind: "failed"; readonly failed: FailedSeed }
  /** So many seeds more, and the CPU time that they took, ms. */
  | { readonly kind: "done"; readonly seeds: number; readonly cpuMs: number };

export interface ProgressOptions {
  readonly seeds: number;
  readonly workers: number;
}

/** How far a run is, and how quickly it goes. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #startedAtMs = performance.now();
  #done = 0;
  #cpuMs = 0;
  #failed = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  get isComplete(): boolean {
    return this.#done === this.#options.seeds;
  }

  get failed(): number {
    return this.#failed;
  }

  add(report: Report): void {
    if (report.kind === "failed") {
      this.#failed += 1;
      return;
    }
    this.#done += report.seeds;
    this.#cpuMs += report.cpuMs;
  }

  /** Seeds a minute as they came, with all workers together on this machine as busy as it is; CPU time a seed tells of the code alone. */
  get line(): string {
    const { seeds, workers } = this.#options;
    const perMinute = Math.round((this.#done * 60_000) / (performance.now() - this.#startedAtMs));
    const cpuMs = this.#done === 0 ? 0 : Math.round(this.#cpuMs / this.#done);
    const by = workers === 1 ? "1 worker" : `${workers} workers`;
    return `${this.#done} of ${seeds} seeds, ${perMinute} a minute with ${by}, ${cpuMs} ms of CPU a seed, ${this.#failed} failed`;
  }
}

/** CPU time of this process since it was last asked, ms: user and system, all threads. */
export function createCpuMeter(): () => number {
  let before = process.cpuUsage();
  return () => {
    const now = process.cpuUsage();
    const tookUs = now.user + now.system - before.user - before.system;
    before = now;
    return tookUs / 1_000;
  };
}
