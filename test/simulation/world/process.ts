import {
  createHealth,
  createLifecycle,
  type ExitStatus,
  readSettings,
  type ServiceContext,
  type ServiceDefinition,
  type SettingsOf,
} from "#runtime";
import type { VirtualHost } from "#testing/host";
import type { LogBook } from "./log-book.ts";
import { Meters } from "./meters.ts";

/** As the product's own: HOOKLINE_SHUTDOWN_GRACE. */
const GRACE_MS = 25_000;

export interface ProcessOptions {
  readonly name: string;
  readonly host: VirtualHost;
  readonly logs: LogBook;
  readonly environment: Readonly<Record<string, string>>;
}

type AnySettings = Parameters<typeof readSettings>[0];

/** One run of one service, from its start until it has ended or was killed. */
export class SimulatedProcess {
  readonly name: string;
  readonly host: VirtualHost;
  readonly meters = new Meters();
  readonly #lifecycle: ReturnType<typeof createLifecycle>;
  readonly #health = createHealth();
  #status: ExitStatus | undefined;
  #isStarted = false;

  private constructor({ name, host, logs }: ProcessOptions) {
    this.name = name;
    this.host = host;
    this.#lifecycle = createLifecycle({ graceMs: GRACE_MS, logger: logs.logger(name), host });
  }

  /** Starts the service; its parts run when `isReady`. */
  static start<S extends AnySettings>(
    definition: ServiceDefinition<S>,
    options: ProcessOptions,
  ): SimulatedProcess {
    const started = new SimulatedProcess(options);
    void started.#run(definition, options);
    return started;
  }

  /** It was told to stop, and reads no more. */
  get isStopping(): boolean {
    return this.#lifecycle.stopping.aborted;
  }

  /** How it ended by itself; undefined while it runs, and when it was killed. */
  get status(): ExitStatus | undefined {
    return this.#status;
  }

  get isRunning(): boolean {
    return this.#status === undefined && !this.host.isDead;
  }

  get isReady(): boolean {
    return this.isRunning && this.#isStarted && this.#health.notReadyBecause().length === 0;
  }

  /** SIGTERM. */
  stop(): void {
    this.host.setImmediate(() => void this.#lifecycle.stop());
  }

  async #run<S extends AnySettings>(
    definition: ServiceDefinition<S>,
    options: ProcessOptions,
  ): Promise<void> {
    const { environment, host, logs, name } = options;
    void this.#lifecycle.ended.then((status) => {
      this.#status = status;
      host.kill();
    });
    const settings = readSettings(definition.settings, { processName: definition.name, environment });
    const context: ServiceContext<SettingsOf<S>> = {
      settings,
      logger: logs.logger(name),
      metrics: this.meters,
      health: this.#health,
      lifecycle: this.#lifecycle,
      host,
      nowMs: () => host.now(),
    };
    try {
      await definition.start(context);
      this.#isStarted = true;
    } catch (thrown) {
      if (!this.#lifecycle.stopping.aborted) this.#lifecycle.fail(thrown);
    }
  }
}
