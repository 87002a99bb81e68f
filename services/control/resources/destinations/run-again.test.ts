// What an edit has asked of the deliverers before it was refused, as another process had changed the destination, and is run again.
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { destination } from "#support/records";
import { resumeDestination } from "../../deliveries/waiting/commands.ts";
import type { WaitingParts } from "../../deliveries/waiting/parts.ts";
import { createChangeQueue } from "../../records/change-queue.ts";
import { StaleEdit } from "../../records/sole-writer.ts";
import { changeDestination, deleteDestination } from "./commands.ts";
import type { DestinationParts } from "./parts.ts";

function stage() {
  const done: string[] = [];
  let refusals = 2;
  const edit = async () => {
    done.push("edited");
    if (refusals-- > 0) throw new StaleEdit("another process is changing d1");
  };
  const config = destination({ id: "d1", pausedAtMs: 5, maxRequestsPerSecond: 2, webhooks: [] });
  /** Others resume it and pause it again. */
  const pauseAnew = () => Object.assign(config, { pausedAtMs: 7 });
  const parts = {
    changes: createChangeQueue(systemHost),
    destinations: { get: () => config, replace: edit, discard: edit },
    retryRequests: { ask: async ({ kind }: { kind: string }) => void done.push(kind) },
    health: { forget: () => undefined },
    telemetry: { changed: () => undefined },
    nowMs: () => 10,
  };
  const whose = { id: "d1", by: { token: "t", requestId: null } };
  return { done, pauseAnew, parts: parts as unknown as DestinationParts & WaitingParts, whose };
}

test("a deletion that is run again asks once for what waits, before the first edit", async () => {
  const { done, parts, whose } = stage();
  await deleteDestination(parts, whose);
  expect(done).toEqual(["deleted", "edited", "edited", "edited"]);
});

test("so does a resume", async () => {
  const { done, parts, whose } = stage();
  await resumeDestination(parts, whose);
  expect(done).toEqual(["retry", "edited", "edited", "edited"]);
});

test.each([3, null])(
  "so does a change of the rate to a higher one, or none: %p",
  async (maxRequestsPerSecond) => {
    const { done, parts, whose } = stage();
    await changeDestination(parts, whose, { maxRequestsPerSecond });
    expect(done).toEqual(["retry", "edited", "edited", "edited"]);
  },
);

test.each([{ maxRequestsPerSecond: 1 }, { maxRequestsPerSecond: 2 }, { name: "other" }])(
  "a change to %p leaves waiting calls where they are",
  async (patch) => {
    const { done, parts, whose } = stage();
    await changeDestination(parts, whose, patch);
    expect(done).toEqual(["edited", "edited", "edited"]);
  },
);

test("a resume of another pause than it was first asked for asks again", async () => {
  const { done, parts, pauseAnew, whose } = stage();
  const { replace } = parts.destinations;
  parts.destinations.replace = async (edit) => {
    await replace(edit).finally(() => pauseAnew());
  };
  await resumeDestination(parts, whose);
  expect(done).toEqual(["retry", "edited", "retry", "edited", "edited"]);
});
