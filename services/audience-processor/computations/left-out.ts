import type { ServiceContext } from "#runtime";
import type { Computations, LeftOut } from "./computations.ts";

const LOOK_EVERY_MS = 10_000;

/** Reports each definition that is left out at two looks, once: what it names may be read between them. */
export class LeftOutReporter {
  readonly #report: (leftOut: LeftOut) => void;
  #before: ReadonlySet<object> = new Set();
  #reported: ReadonlySet<object> = new Set();

  constructor(report: (leftOut: LeftOut) => void) {
    this.#report = report;
  }

  look(all: readonly LeftOut[]): void {
    const isStill = all.filter(({ config }) => this.#before.has(config));
    for (const one of isStill) if (!this.#reported.has(one.config)) this.#report(one);
    this.#before = new Set(all.map(({ config }) => config));
    this.#reported = new Set(isStill.map(({ config }) => config));
  }
}

export function reportLeftOut(
  { host, lifecycle, logger }: Pick<ServiceContext<unknown>, "host" | "lifecycle" | "logger">,
  computations: Pick<Computations, "leftOut">,
): void {
  const reporter = new LeftOutReporter(({ config: { id, key }, problem }) =>
    logger.error({ id, key, problem }, "a definition cannot be read; it is left out"),
  );
  const timer = host.setInterval(() => reporter.look(computations.leftOut), LOOK_EVERY_MS);
  lifecycle.onStop("definitions", async () => timer.clear());
}
