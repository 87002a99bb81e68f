// The router's step in this process: Kafka acknowledges at once, and no call has come before.
import { systemHost } from "#host";
import type { Serde } from "#serde";
import type { Call, DestinationConfig } from "#topics";
import { stubSerde, TOPICS } from "../../services/audience-processor/fixtures/bench.ts";
import { FilterTurns } from "../../services/webhook-router/filter-turns.ts";
import { call } from "../../services/webhook-router/fixtures/calls.ts";
import { createRecords } from "../../services/webhook-router/records.ts";
import { createRouteCalls } from "../../services/webhook-router/route-calls.ts";
import { createRecordCall } from "../../services/webhook-router/routed-calls.ts";

const nothing = (): void => undefined;

export class RouterStage {
  readonly #serde: Serde;
  readonly #turns = new FilterTurns(systemHost, () => true);
  #offset = 0;

  private constructor(serde: Serde) {
    this.#serde = serde;
  }

  static async open(): Promise<RouterStage> {
    return new RouterStage(await stubSerde());
  }

  /** One call to these destinations; gives how many records it became. */
  route(found: readonly DestinationConfig[], changes: Pick<Call, "body" | "event">): Promise<number> {
    const serde = this.#serde;
    const step = createRouteCalls({
      windows: { note: (_, { use }) => use("first") },
      suppressions: { has: () => false },
      confirmations: { has: () => false, wait: nothing, revoked: nothing },
      turns: this.#turns,
      destinations: { of: () => found },
      records: createRecords({ topics: TOPICS, serde, nowMs: Date.now }),
      recordCall: createRecordCall("all", { topics: TOPICS, serde }),
      telemetry: {
        routed: nothing,
        dropped: nothing,
        repeated: nothing,
        rejected: nothing,
        rebalanced: nothing,
      },
    });
    this.#offset += 1;
    const place = { topic: "calls", partition: 0, offset: this.#offset, key: null, value: null };
    const record = { ...place, timestampMs: 0, decoded: call(changes) };
    const claim = { isOurs: true, giveBack: nothing };
    return new Promise((resolve) => {
      step(record, ({ produce, produceAfter }) => resolve(produce.length + (produceAfter ? 1 : 0)), claim);
    });
  }

  close(): void {
    this.#serde.close();
  }
}
