import type { KnownFault } from "./faults.ts";

const MEMBERS = "in the end exactly the members are in";
const MOMENT = "each change holds at its moment";
const NUMBERED = "changes are numbered one after the other";
const RISE = "times of a user and an audience rise";
const SUPPRESSED = "of a suppressed user nothing is sent";
const AWAY = "who was deleted comes back by later calls alone";
const TRACKED = "each change that is to have a track call has one";
const PASSED = "no commit passes an event that is not in its profile";

const WRITER = "services/audience-processor/profiles/batch-writer.ts";
const SERVICE = "services/audience-processor/service.ts";
const PARTITIONS = "services/audience-processor/profiles/profile-partitions.ts";

/** Faults of the audience processor: some were in the code once, the others are what its order of things is there to prevent. */
export const AUDIENCE_FAULTS: readonly KnownFault[] = [
  {
    name: "events are committed before their profiles are in the changelog",
    edits: [
      {
        file: WRITER,
        now: "if (snapshots.length > 0) await store.write(snapshots.map(({ entry }) => entry));",
        before:
          "for (const { settle } of batch.taken) settle({ produce: [] });\n    if (snapshots.length > 0) await store.write(snapshots.map(({ entry }) => entry));",
      },
      {
        file: WRITER,
        now: "    for (const { settle } of batch.taken) settle({ produce: [] });\n    for (const done",
        before: "    for (const done",
      },
    ],
    breaks: [PASSED, MEMBERS, MOMENT],
    worlds: "steady_audiences",
    firstSeed: 40,
  },
  {
    name: "what was not sent is not sent by the next owner",
    edits: [
      {
        file: "services/audience-processor/profiles/codec.ts",
        now: "const isUnfinished = (outbox.length > 0 && !isSentWithEvent) || (isRedirected && judgedAtMs > 0);",
        before: "const isUnfinished = false;",
      },
      {
        file: "services/audience-processor/profiles/apply-happening.ts",
        now: 'if (outcome === "already_applied") return outbox.length > 0;',
        before: 'if (outcome === "already_applied") return false;',
      },
    ],
    breaks: [NUMBERED, MEMBERS],
    worlds: "steady_audiences",
    firstSeed: 593,
  },
  {
    name: "timers fire by the wall clock while calls wait",
    edits: [
      { file: PARTITIONS, now: "if (reached >= end) worker", before: "worker" },
      // Time began once both groups were joined then, and so met events that were not folded.
      { file: SERVICE, now: "const joined = Promise.all", before: "const joined = await Promise.all" },
    ],
    breaks: [MOMENT],
    worlds: "steady_audiences",
    firstSeed: 921,
  },
  {
    name: "two changes of one user have one time",
    edits: [
      {
        file: "packages/audiences/profile/settle.ts",
        now: "result.sinceMs = Math.max(nowMs, result.sinceMs + 1, profile.changedUntilMs + 1);",
        before: "result.sinceMs = nowMs;",
      },
    ],
    breaks: [RISE],
    worlds: "audiences",
    firstSeed: 40_011,
  },
  {
    name: "a deletion ends the user's suppression",
    edits: [
      {
        file: "packages/audiences/profile/apply.ts",
        now: "  emptyProfile(profile);\n  profile.deletedAtMs = Math.max(profile.deletedAtMs ?? atMs, atMs);",
        before:
          "  emptyProfile(profile);\n  profile.suppressions = [];\n  profile.deletedAtMs = Math.max(profile.deletedAtMs ?? atMs, atMs);",
      },
    ],
    breaks: [SUPPRESSED],
    worlds: "audiences",
    firstSeed: 3,
  },
  {
    name: "calls of before a deletion count",
    edits: [
      {
        file: "packages/audiences/profile/apply.ts",
        now: '  if (isOfDeleted(profile, call)) return "deleted";\n',
        before: "",
      },
    ],
    breaks: [AWAY],
    worlds: "audiences",
    firstSeed: 20,
  },
  {
    name: "who goes out is not told of by a track call",
    edits: [
      {
        file: "services/audience-processor/profiles/outgoing.ts",
        now: "return flip.isTracked ?",
        before: 'return flip.isTracked && flip.text === "true" ?',
      },
    ],
    breaks: [TRACKED],
    worlds: "audiences",
    firstSeed: 3,
  },
  {
    name: "no partition knows that its first pass is over",
    edits: [
      {
        file: "services/audience-processor/computations/pass-progress.ts",
        now: 'return known !== undefined && (known.isFirstOver || (known.state === "live" && !known.isPaused));',
        before: "return false;",
      },
    ],
    breaks: [TRACKED],
    worlds: "audiences",
    firstSeed: 10,
  },
];
