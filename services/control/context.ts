import type { Egress } from "#egress";
import type { Host } from "#host";
import type { Logger } from "#runtime";
import type { SecretBox } from "#secrets";
import type { DestinationConfig, SourceConfig } from "#topics";
import type { ChangeQueue } from "./change-queue.ts";
import type { ConfigStore } from "./config-store.ts";
import type { DeadLetterReader } from "./dead-letters/reader.ts";
import type { Deliveries } from "./delivery-index/open.ts";
import type { HealthBook } from "./health/parts.ts";
import type { Ids } from "./ids.ts";
import type { ReplayStore } from "./replays/store.ts";
import type { Telemetry } from "./telemetry.ts";

/** What the routes work with. */
export interface ControlContext {
  readonly sources: ConfigStore<SourceConfig>;
  readonly destinations: ConfigStore<DestinationConfig>;
  readonly changes: ChangeQueue;
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetterReader;
  /** End of every partition of the dead letters now, by its number. */
  readonly deadLetterEnds: () => Promise<number[]>;
  readonly replays: ReplayStore;
  readonly health: HealthBook;
  /** Of every topic whose key names a destination. */
  readonly partitions: number;
  readonly secrets: SecretBox;
  readonly egress: Egress;
  /** How webhooks are called (contract 2.2, 2.5), as the deliverer calls them. */
  readonly delivery: { readonly responseDeadlineMs: number; readonly userAgent: string };
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly logger: Logger;
  readonly host: Host;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
