// All that the package does, as its users see it.
import type { Admin } from "./admin-types.ts";
import type { Runner, RunnerOptions, SharedRunnerOptions } from "./runner-types.ts";
import type {
  Table,
  TableOptions,
  TableWriter,
  TableWriterOptions,
  TermWriter,
  WriterTerm,
} from "./table-types.ts";
import type { FollowedTopic, Following, Producer, ProducerOptions, ReadRangeOptions } from "./types.ts";

export interface Kafka {
  producer(options?: Omit<ProducerOptions, "anyPartition">): Producer;
  /** Tries until Kafka has acknowledged: `send` rejects only when the producer is closed, or for what no trying again heals. */
  durableProducer(options?: Pick<ProducerOptions, "anyPartition" | "lingerMs">): Producer;
  runner<T>(options: RunnerOptions<T>): Runner;
  /** One runner for several parts of a process, each with its own topics (`shareOf`). */
  sharedRunner(options: SharedRunnerOptions): Runner;
  table<V extends L, L = V>(options: TableOptions<V, L>): Table<V, L>;
  /** Each try ends after `timeoutMs`. */
  tableWriter(options: TableWriterOptions): TableWriter;
  /** The term of the next owner of work that writes to the topic; `before` is what the work's record says, undefined for the first owner. */
  nextTerm(topic: string, before: WriterTerm | undefined, timeoutMs?: number): Promise<WriterTerm>;
  /** Writes in a term that is noted already, or that nobody else knows: each record once, however often Kafka is asked to take it. */
  termWriter(term: WriterTerm, timeoutMs?: number): TermWriter;
  admin(): Admin;
  /** Follows a topic outside all consumer groups: all partitions, in one request to each broker with everything else that the process follows. */
  follow(topic: FollowedTopic): Following;
  /**
   * Reads one stretch of one partition, in order and outside all consumer groups. Waits while Kafka is away, until `close`; what
   * retention removes meanwhile is skipped. Rejects for a partition that does not exist.
   */
  readRange(options: ReadRangeOptions): Promise<void>;
  /** Closes what was not closed yet. */
  close(): Promise<void>;
}
