// Control and the audience processor as processes of their own, and what they send: enough of the product for lists and audiences.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { SPACE_SOURCE } from "#contract";
import { scratchFolder } from "#support/scratch-folder";
import { type Call, type DeliveryJob, type RecordName, type Topic, type TopicMap, topicMap } from "#topics";
import { provision } from "./provision.ts";
import { type ServiceProcess, startService } from "./service.ts";
import { type TestStack, useStack } from "./stack.ts";
import { newPrefix, openWire, settingsOn } from "./wire.ts";

/** An identify of the space, in short. */
export interface SentIdentify {
  readonly user: string;
  readonly key: string;
  readonly value: unknown;
  readonly messageId: string;
}

export interface ListStage {
  readonly control: ServiceProcess;
  readonly processor: ServiceProcess;
  readonly topics: TopicMap;
  /** One more control process, with a disk of its own; stopped with the stage. */
  readonly anotherControl: () => Promise<ServiceProcess>;
  /** Base URL of the control API. */
  readonly url: () => string;
  /** Everything that the space has sent, in the order of the log; a copy under the same message id is left out. */
  readonly sent: () => Promise<SentIdentify[]>;
  /** Of one destination, in the order of the log. */
  readonly jobs: (destinationId: string) => Promise<DeliveryJob[]>;
  readonly stop: () => Promise<void>;
}

function identifyOf({ body, messageId, userId }: Call): SentIdentify {
  const { traits } = JSON.parse(body.toString()) as { traits: Record<string, unknown> };
  const [[key, value] = ["", undefined]] = Object.entries(traits);
  return { user: userId ?? "", key, value, messageId };
}

/** Whoever starts it must stop it. `settings` are control's, over this file's own; on the test run's stack unless another is given. */
export async function startListStage(
  settings: Readonly<Record<string, string>> = {},
  given?: TestStack,
): Promise<ListStage> {
  const stack = given ?? (await useStack());
  const named = { prefix: newPrefix(), retryDelaysMs: [1_000] };
  const topics = topicMap(named);
  await provision(stack, named);
  const dataFolder = scratchFolder();
  const shared = {
    ...settingsOn(stack, named),
    HOOKLINE_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    HOOKLINE_EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
    HOOKLINE_DATA_DIR: dataFolder,
  };
  const [control, processor] = await Promise.all([
    startService({ name: "control", settings: { ...shared, ...settings } }),
    startService({ name: "audience-processor", settings: shared }),
  ]);
  const more: ServiceProcess[] = [];
  const wire = openWire(stack, [topics.calls, topics.deliveryJobs] as readonly Topic<RecordName>[]);
  const all = async <R extends RecordName>(topic: Topic<R>) =>
    (await wire.read(topic)).flatMap(({ value }) => value ?? []);

  async function sent(): Promise<SentIdentify[]> {
    const byId = new Map<string, SentIdentify>();
    for (const call of await all(topics.calls))
      if (call.sourceId === SPACE_SOURCE && !byId.has(call.messageId))
        byId.set(call.messageId, identifyOf(call));
    return [...byId.values()];
  }

  return {
    control,
    processor,
    topics,
    async anotherControl() {
      const own = { HOOKLINE_DATA_DIR: join(dataFolder, `control-${more.length + 2}`) };
      const another = await startService({ name: "control", settings: { ...shared, ...settings, ...own } });
      more.push(another);
      return another;
    },
    url: () => `http://127.0.0.1:${control.ports["controlPort"]}`,
    sent,
    jobs: async (destinationId) =>
      (await all(topics.deliveryJobs)).filter((job) => job.destinationId === destinationId),
    async stop() {
      await wire.close();
      await Promise.all([control, processor, ...more].map((one) => one.kill()));
    },
  };
}
