// The thread of a share of the recorded calls: it follows its partitions into a file of its own, and answers what the main thread asks.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { connect } from "#connection";
import { systemHost } from "#host";
import { countInto } from "#kafka";
import { createLogger } from "#runtime";
import { topicMap } from "#topics";
import { IndexPart } from "./index-part.ts";
import { keepPart } from "./keep-part.ts";
import { type Asked, type AskedName, answer } from "./share.ts";
import type { FromShare, ShareData, ToShare } from "./share-messages.ts";

if (parentPort !== null) work(parentPort, workerData as ShareData);

/** Ends with the main thread's word, or with an error that nobody expected. */
function work(port: MessagePort, data: ShareData): void {
  const say = (said: FromShare): void => port.postMessage(said);
  const { folder, name, shares } = data;
  let createdMs = 0;
  const index = new IndexPart({
    ...{ folder, name, shares, nowMs: systemHost.now },
    onDiscarded: (why) => say({ kind: "discarded", createdMs, why }),
  });
  let end: (() => Promise<void>) | undefined;
  port.on("message", (said: ToShare) => {
    if (said.kind === "close") {
      port.close();
      // What fails here ends the thread.
      void (end === undefined ? index.close() : end());
      return;
    }
    const { asked, id, name: question } = said;
    try {
      say({ kind: "answer", id, value: answer(index, question, asked as Asked<AskedName>) });
      if (question !== "begin") return;
      createdMs = index.createdMs;
      end ??= keep(data, index, say);
    } catch (error) {
      say({ kind: "failure", id, error });
    }
  });
}

/** Reads its partitions from now on. Returns what ends that. */
function keep(data: ShareData, index: IndexPart, say: (said: FromShare) => void): () => Promise<void> {
  const { maxRows, name, registryUrl, requestCounts, share, shares } = data;
  countInto(requestCounts);
  const stream = { write: (line: string) => say({ kind: "log", line }) };
  const logger = createLogger({ service: name, level: "info", stream });
  const topics = topicMap(data.topics);
  const { close, kafka, serde } = connect({
    ...{ kafka: data.kafka, registryUrl, topics: [topics.routedCalls], logger: logger.child("kafka") },
    onUnavailable: ({ message }) => logger.warn({ problem: message }, "waiting for the schema registry"),
  });
  const end = keepPart({
    ...{ index, kafka, serde, topics, logger, host: systemHost, rules: { maxRows, shares } },
    kinds: ["routedCalls"],
    takes: (partition) => partition % shares === share,
    onAttempt: () => undefined,
    progress: {
      counted: (_, partitions) => say({ kind: "counted", createdMs: index.createdMs, partitions }),
      reached: (_, partition, reached) =>
        say({ kind: "reached", createdMs: index.createdMs, partition, reached }),
    },
  });
  return async () => {
    await end();
    await close();
  };
}
