import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { record, stubSessions } from "../fixtures/stub-session.ts";
import type { OutgoingRecord, Producer } from "../types.ts";
import { createRunner } from "./runner.ts";

function producerOf(name: string, sent: string[]): Producer {
  const send = async (records: readonly OutgoingRecord[]): Promise<void> => {
    sent.push(...records.map(({ topic }) => `${topic} by ${name}`));
  };
  const backlog = { records: 0, bytes: 0, oldestElapsedMs: undefined };
  const giveUp = () => void sent.push(`${name} gives up`);
  return { backlog, send, giveUp, giveUpLost: () => undefined, close: async () => undefined };
}

test.each([
  [true, ["jobs by the first", "said by the second"], ["the first gives up", "the second gives up"]],
  [false, ["jobs by the first", "said by the first"], ["the first gives up"]],
])(
  "what is written after the rest has a producer of its own, where there is one: %s",
  async (hasOwn, expected, givenUp) => {
    const sent: string[] = [];
    const { sessions, newSession } = stubSessions();
    const runner = createRunner<string>(
      { newSession, logger: recordingLogger().logger, host: systemHost },
      {
        groupId: "g",
        topics: ["t"],
        decode: () => "",
        step: ({ offset }, settle) => {
          // It stays outstanding.
          if (offset > 0) return;
          const [jobs, said] = ["jobs", "said"].map((topic) => ({ topic, key: null, value: null }));
          settle({ produce: jobs === undefined ? [] : [jobs], produceAfter: said });
        },
        deadLetter: () => [],
        producer: producerOf("the first", sent),
        ...(hasOwn && { producerAfter: producerOf("the second", sent) }),
        maxOutstandingRecords: 10,
        maxOutstandingBytes: 1e6,
      },
    );
    const started = runner.start();
    sessions[0]?.join([0]);
    await started;
    void sessions[0]?.arrive([record(0, 0)]);
    await until(() => sent.length === 2, { timeoutMs: 60_000, what: "both" });
    expect(sent).toEqual(expected);
    void sessions[0]?.arrive([record(0, 1)]);
    await until(() => runner.outstanding.records === 1, { timeoutMs: 60_000, what: "the second" });
    await runner.stop(0);
    expect(sent.slice(2)).toEqual(givenUp);
  },
);
