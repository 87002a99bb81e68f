// One partition of the audience processor in this process, on its own disk store; Kafka is an array that acknowledges at once.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { systemHost } from "#host";
import type { OutgoingRecord, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import { openStore, type PartitionStore } from "#state";
import type { AudienceConfig, AudienceProgress, Call } from "#topics";
import { Computations } from "../../services/audience-processor/computations/computations.ts";
import { FirstSync } from "../../services/audience-processor/computations/first-sync.ts";
import { LeafRegistry } from "../../services/audience-processor/computations/leaf-registry.ts";
import { Pace } from "../../services/audience-processor/computations/pace.ts";
import { PartitionComputations } from "../../services/audience-processor/computations/partition-computations.ts";
import { ROOM_BYTES, stubSerde, TOPICS } from "../../services/audience-processor/fixtures/bench.ts";
import { profileEventsOf } from "../../services/audience-processor/keying/profile-events.ts";
import { createCodec } from "../../services/audience-processor/profiles/codec.ts";
import { eventDecoder, type Happening } from "../../services/audience-processor/profiles/event.ts";
import { PartitionWorker } from "../../services/audience-processor/profiles/partition-worker.ts";
import { createRecords } from "../../services/audience-processor/records.ts";
import { PartitionSizes } from "../../services/audience-processor/sizes/partition-sizes.ts";
import { TurnTime } from "../../services/audience-processor/turn-time.ts";

/** LISTENING_MS of packages/kafka/tables/table.ts. */
const TABLE_TURN_MS = 10;
const OURS = { isOurs: true };
const nothing = (): void => undefined;

/** One partition of a topic. */
class Log {
  readonly records: RawRecord[] = [];

  append({ key, topic, value }: OutgoingRecord): void {
    const offset = this.records.length;
    this.records.push({ topic, partition: 0, offset, key, value, timestampMs: Date.now() });
  }
}

export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).blocks * 512, 0);
}

export class ProfileStage {
  readonly serde: Serde;
  readonly changelog = new Log();
  readonly events = new Log();
  readonly folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  identifies = 0;
  settled = 0;
  readonly #computations = new Computations();
  readonly #ofPartition = new PartitionComputations(this.#computations);
  readonly #records: ReturnType<typeof createRecords>;
  readonly #progress = new Map<string, AudienceProgress>();
  #store: PartitionStore | undefined;
  #worker: PartitionWorker | undefined;

  private constructor(serde: Serde) {
    this.serde = serde;
    this.#records = createRecords({ topics: TOPICS, serde, nowMs: Date.now });
  }

  static async open(configs: readonly AudienceConfig[]): Promise<ProfileStage> {
    const stage = new ProfileStage(await stubSerde());
    await stage.configure(configs);
    stage.#store = await stage.restore(stage.folder);
    await stage.#store.own({ isOurs: true, send: async (records) => stage.#take(records) });
    stage.#worker = stage.#newWorker(stage.#store);
    return stage;
  }

  /** As their table hands them on. */
  async configure(configs: readonly AudienceConfig[]): Promise<void> {
    let beganAtMs = systemHost.elapsed();
    for (const config of configs) {
      if (systemHost.elapsed() - beganAtMs >= TABLE_TURN_MS) {
        await turn();
        beganAtMs = systemHost.elapsed();
      }
      this.#computations.apply(config.id, config);
    }
  }

  get store(): PartitionStore {
    if (this.#store === undefined) throw new Error("not open");
    return this.#store;
  }

  get #openWorker(): PartitionWorker {
    if (this.#worker === undefined) throw new Error("not open");
    return this.#worker;
  }

  #take(records: readonly OutgoingRecord[]): void {
    for (const record of records)
      if (record.topic === TOPICS.profiles.name) this.changelog.append(record);
      else if (record.topic === TOPICS.calls.name) this.identifies += 1;
  }

  #newWorker(store: PartitionStore): PartitionWorker {
    return new PartitionWorker({
      roomBytes: () => ROOM_BYTES,
      store,
      sizes: new PartitionSizes({
        ...{ partition: 0, rows: [], batches: [], leastBatch: 1, end: 0 },
        isCounted: () => true,
        onCounted: nothing,
        nowMs: Date.now,
      }),
      settledTo: 0,
      leastVersion: 0,
      ownership: OURS,
      computations: this.#ofPartition,
      codec: createCodec(this.serde, TOPICS),
      records: this.#records,
      host: systemHost,
      turnTime: new TurnTime(systemHost),
      noteEveryMs: Number.POSITIVE_INFINITY,
      telemetry: {
        folded: nothing,
        timerFired: nothing,
        changed: nothing,
        unreadable: nothing,
        expired: nothing,
        incomplete: nothing,
        sent: nothing,
      },
      refresh: async () => undefined,
      send: async (records) => this.#take(records),
      onFailed(error) {
        throw error;
      },
      deadLetter(_, error) {
        throw error;
      },
    });
  }

  /** A store made of the changelog, in this folder. */
  restore(directory: string): Promise<PartitionStore> {
    const codec = createCodec(this.serde, TOPICS);
    const { records } = this.changelog;
    const fail = (error: unknown): never => {
      throw error;
    };
    return openStore({
      directory,
      topic: TOPICS.profiles.name,
      partition: 0,
      admin: { offsets: async () => [{ partition: 0, low: 0, high: records.length }] },
      kafka: {
        async readRange({ fromOffset, onRecord, toOffset }) {
          for (const record of records.slice(fromOffset, toOffset)) {
            const taken = onRecord(record);
            if (taken !== undefined) await taken;
          }
        },
      },
      describe: codec.describe,
      now: Date.now,
      onDiscarded: fail,
      onPoison: (_, error) => fail(error),
    });
  }

  encode(call: Call): Buffer {
    return this.serde.encode(TOPICS.calls, call);
  }

  async decode(value: Buffer): Promise<Call> {
    return this.serde.decode(TOPICS.calls, value);
  }

  /** The first step: calls become events of profiles. */
  async key(values: readonly Buffer[]): Promise<void> {
    for (const value of values) {
      const decoded = this.serde.decode(TOPICS.calls, value);
      const call = "then" in decoded ? await decoded : decoded;
      for (const { event, profileId } of profileEventsOf(call))
        this.events.append(this.#records.profileEvent(profileId, event));
    }
  }

  /** The second step, of the events from one offset to another; resolves when all of them are settled. */
  async fold(from: number, to: number): Promise<void> {
    const decode = eventDecoder(this.serde, TOPICS);
    const until = this.settled + to - from;
    for (const record of this.events.records.slice(from, to)) {
      const happening = decode(record);
      const decoded: Happening = "then" in happening ? await happening : happening;
      const { key, offset, partition, timestampMs, topic, value } = record;
      this.#openWorker.take({
        record: { key, offset, partition, timestampMs, topic, value, decoded },
        settle: () => {
          this.settled += 1;
        },
        claim: { isOurs: true, giveBack: nothing },
      });
    }
    while (this.settled < until) await turn();
  }

  /** A first sync of one more audience over all profiles. */
  async sync(config: AudienceConfig): Promise<void> {
    const { id } = config;
    const worker = this.#openWorker;
    this.#computations.apply(id, config);
    const nowMs = Date.now;
    const live = { ...this.#registryOf().begun("", 0), state: "live", generation: 1 };
    const sync = new FirstSync({
      partition: 0,
      worker,
      computations: this.#ofPartition,
      registry: this.#registryOf(),
      pace: new Pace(1e9, systemHost),
      host: systemHost,
      nowMs,
      position: () => this.events.records.length,
      progressOf: (of) => this.#progress.get(of) ?? (of === id ? undefined : live),
      progressChanges: () => performance.now(),
      onChanged: nothing,
      report: (one) => void this.#progress.set(one.id, one),
      reportDurably: async (all) => {
        for (const one of all) this.#progress.set(one.id, one);
      },
    });
    worker.advanceTo(nowMs());
    while (this.#progress.get(id)?.state !== "live") {
      sync.advance();
      await turn();
    }
  }

  #registryOf(): LeafRegistry {
    return new LeafRegistry({
      partition: 0,
      signal: new AbortController().signal,
      nowMs: Date.now,
      progressOf: () => undefined,
      report: nothing,
      end: async () => undefined,
      newestLife: () => undefined,
      idsOf: () => [],
    });
  }

  async close(): Promise<void> {
    this.#worker?.close();
    await this.#store?.close();
    this.serde.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
