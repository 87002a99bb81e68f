import BrokerPool, { type ClientMetadata } from "kafkajs/src/cluster/brokerPool.js";

const latest = new WeakMap<object, ClientMetadata | null>();

/**
 * The client replaces what it knows of topics by each answer, and an answer has the topics that were asked for: what is under way for
 * another topic meanwhile finds no partitions, and reads that nothing is committed. Here a topic stays known until it is answered anew.
 */
export function patchMetadata(): void {
  Object.defineProperty(BrokerPool.prototype, "metadata", {
    configurable: true,
    get(this: object) {
      return latest.get(this) ?? null;
    },
    set(this: object, answer: ClientMetadata | null) {
      latest.set(this, answer === null ? null : withOthers(answer, latest.get(this)));
    },
  });
}

function withOthers(answer: ClientMetadata, before: ClientMetadata | null | undefined): ClientMetadata {
  const answered = new Set(answer.topicMetadata.map(({ topic }) => topic));
  const others = (before?.topicMetadata ?? []).filter(({ topic }) => !answered.has(topic));
  return { ...answer, topicMetadata: [...answer.topicMetadata, ...others] };
}
