// A long list of members through control and the audience processor on Kafka: from the upload to the last identify call, and what memory it takes.
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "#connection";
import { type ListStage, startListStage } from "#support/list-stage";
import { until } from "#support/until";
import type { RecordName, Topic } from "#topics";
import type { Bench, BenchContext } from "./bench.ts";
import { pidListeningOn, usageOf } from "./usage.ts";

type Flags = "rows" | "rate";
type Context = BenchContext<Flags>;

const MIB = 2 ** 20;
const ROWS_A_CHUNK = 5_000;
const SAMPLE_MS = 250;
const LONG = { timeoutMs: 1_800_000, pollMs: 500 };
const PROCESSES = ["control", "processor"] as const;

interface Import {
  readonly status: string;
  readonly added: number;
  readonly removed: number;
  readonly progress: { readonly written: number; readonly changes: number } | null;
}

/** CSV of the users from one number to another, a chunk at a time: the whole file is nowhere in memory. */
function* csv(from: number, to: number): Generator<Buffer> {
  yield Buffer.from("userId,email,plan\n");
  for (let at = from; at < to; at += ROWS_A_CHUNK) {
    const users = Array.from({ length: Math.min(ROWS_A_CHUNK, to - at) }, (_, index) => at + index);
    yield Buffer.from(users.map((user) => `user-${user},user-${user}@example.com,pro\n`).join(""));
  }
}

/** The largest resident memory of each process until it is ended, MiB. */
async function watchMemory(stage: ListStage): Promise<{ end(): Promise<ReadonlyMap<string, number>> }> {
  const most = new Map<string, number>();
  const pids = await Promise.all(
    PROCESSES.map(
      async (name) => [name, await pidListeningOn(stage[name].ports["metricsPort"] ?? 0)] as const,
    ),
  );
  const ending = new AbortController();
  const watching = (async () => {
    while (!ending.signal.aborted) {
      for (const [name, pid] of pids) {
        const rss = (pid === undefined ? undefined : await usageOf(pid))?.rssBytes ?? Number.NaN;
        most.set(name, Math.max(most.get(name) ?? 0, rss / MIB));
      }
      await pause(SAMPLE_MS);
    }
  })();
  return {
    async end() {
      ending.abort();
      await watching;
      return most;
    },
  };
}

class ImportBench {
  readonly #context: Context;
  readonly #stage: ListStage;
  #list = "";

  constructor(context: Context, stage: ListStage) {
    this.#context = context;
    this.#stage = stage;
  }

  async run(): Promise<void> {
    const { rows } = this.#context.flags;
    this.#list = await this.#newList();
    const memory = await watchMemory(this.#stage);
    const some = Math.floor(rows / 100);
    await this.#import("everybody", { from: 0, to: rows }, { added: rows, removed: 0 });
    await this.#import("the same once more", { from: 0, to: rows }, { added: 0, removed: 0 });
    await this.#import(
      "one in a hundred others",
      { from: some, to: rows + some },
      { added: some, removed: some },
    );
    for (const [name, mib] of await memory.end())
      this.#context.report.figure(`most memory of ${name} (RSS)`, mib, { unit: "MiB" });
    await this.#sayCalls(rows + 2 * some);
  }

  async #newList(): Promise<string> {
    const answer = await fetch(`${this.#stage.url()}/v1/audiences`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Everybody" }),
    });
    return ((await answer.json()) as { id: string }).id;
  }

  async #import(
    what: string,
    { from, to }: { from: number; to: number },
    expected: { added: number; removed: number },
  ): Promise<void> {
    const { report } = this.#context;
    const importId = what.replaceAll(" ", "-");
    const base = `${this.#stage.url()}/v1/audiences/${this.#list}`;
    const startedAtMs = performance.now();
    const answer = await fetch(`${base}/members/${importId}`, {
      method: "PUT",
      headers: { "content-type": "text/csv" },
      body: Readable.toWeb(Readable.from(csv(from, to))) as ReadableStream,
      duplex: "half",
    });
    if (answer.status !== 202) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
    const uploadedAtMs = performance.now();
    report.figure(`${what}: uploaded and staged`, (uploadedAtMs - startedAtMs) / 1000, { unit: "s" });
    const known = await this.#applied(`${base}/imports/${importId}`, what);
    const seconds = (performance.now() - uploadedAtMs) / 1000;
    if (known.added !== expected.added || known.removed !== expected.removed)
      throw new Error(`${what}: ${JSON.stringify(known)}`);
    report.figure(`${what}: compared and applied`, seconds, { unit: "s" });
    report.figure(
      `${what}: rows a second, upload included`,
      (to - from) / ((performance.now() - startedAtMs) / 1000),
      {
        unit: "rows/s",
      },
    );
  }

  async #applied(url: string, what: string): Promise<Import> {
    let last: Import | undefined;
    let said = 0;
    return until(
      async () => {
        last = (await (await fetch(url)).json()) as Import;
        const { progress, status } = last;
        const tenths =
          progress === null ? 0 : Math.floor((10 * progress.written) / Math.max(1, progress.changes));
        if (tenths > said)
          this.#context.report.say(`  ${what}: ${progress?.written} of ${progress?.changes}`);
        said = Math.max(said, tenths);
        return status === "applied" && last;
      },
      { ...LONG, what: () => `${what} to be applied: ${JSON.stringify(last)}` },
    );
  }

  /** Identify calls in the log; a copy of one that came again after a fault would be one too many. */
  async #sayCalls(expected: number): Promise<void> {
    const { report, stack } = this.#context;
    const topic: Topic<RecordName> = this.#stage.topics.calls;
    const { kafka, close } = connect({
      kafka: { brokers: stack.brokers, clientId: "bench", tls: false },
      registryUrl: stack.registryUrl,
      topics: [topic],
    });
    const count = async (): Promise<number> =>
      (await kafka.admin().offsets(topic.name)).reduce((sum, { high, low }) => sum + high - low, 0);
    const startedAtMs = performance.now();
    await until(async () => (await count()) >= expected, { ...LONG, what: `${expected} identify calls` });
    report.figure(
      "after the last import: until all identify calls are written",
      (performance.now() - startedAtMs) / 1000,
      {
        unit: "s",
      },
    );
    report.figure("identify calls too many", (await count()) - expected, { unit: "" });
    await close();
  }
}

export const imports: Bench<Flags> = {
  name: "imports",
  summary:
    "A list of members as CSV through control and the audience processor on Kafka: rows a second, memory.",
  flags: {
    rows: { default: 1_000_000, doc: "rows of the list" },
    rate: { default: 100_000, doc: "members a second that control changes (HOOKLINE_IMPORT_RATE)" },
  },
  async run(context) {
    const settings = { HOOKLINE_IMPORT_RATE: String(context.flags.rate) };
    const stage = await startListStage(settings, context.stack);
    try {
      await new ImportBench(context, stage).run();
    } finally {
      await stage.stop();
    }
  },
};
