import type { KnownFault } from "./faults.ts";

const KNOWS = "a connected destination knows who is in";
const SYNCED = "a destination that is connected is given what there is, and that ends";
const SENT = "a destination is given what was sent";

const ROUTED = "no job is made of a suppressed user's call";
const LAST_WORD = "who is suppressed in the end was so by the last word";
const TOLD = "whoever is deleted is told of, in each affected source";

const SYNCING = "services/control/jobs/connection-syncs/syncing.ts";
const REGULATION = "services/control/jobs/regulations/worker.ts";
const SYNC = "services/control/jobs/connection-syncs/sync.ts";

/** Faults of what control does about members: some were in the code once, the others are what its order of things is there to prevent. */
export const MEMBER_FAULTS: readonly KnownFault[] = [
  {
    name: "a destination that was off for a moment is not given what it has missed",
    edits: [
      {
        file: SYNC,
        now: "return version < connectedVersion || (left !== undefined && left.version > connectedVersion);",
        before: "return version < connectedVersion;",
      },
    ],
    breaks: [KNOWS, SYNCED],
    worlds: "members",
    firstSeed: 580,
  },
  {
    name: "a value that a router's newer one stands before is not corrected",
    edits: [
      {
        file: SYNCING,
        now: "open = await this.#overtaken(await changesSince(open, this.#work.profiles, partition), destination);",
        before: "await changesSince(open, this.#work.profiles, partition);\n      open = [];",
      },
    ],
    breaks: [KNOWS],
    worlds: "members",
    firstSeed: 26,
  },
  {
    name: "what is paused when its turn comes is forgotten",
    edits: [
      {
        file: SYNCING,
        now: 'if (fate === "held_back" && !heldBackIds.includes(id))',
        before: 'if (fate === "held_back" && heldBackIds.includes(""))',
      },
    ],
    breaks: [KNOWS],
    worlds: "members",
    firstSeed: 29,
  },
  {
    name: "what is deleted while it is paused is waited for",
    edits: [
      {
        file: "services/control/jobs/connection-syncs/worker.ts",
        now: "known.heldBackIds.filter((id) => !isHeldBack(work.audience(id)));",
        before:
          "known.heldBackIds.filter((id) => isHeldBack(undefined) || work.audience(id)?.isPaused !== true);",
      },
    ],
    breaks: [SYNCED],
    worlds: "members",
    firstSeed: 435,
  },
  {
    name: "an edit that leaves a value changes the id by which it was sent",
    edits: [
      {
        file: "packages/audiences/profile/settle.ts",
        now: "  if (result.text === text) return;\n",
        before: "  result.generation = computation.generation;\n  if (result.text === text) return;\n",
      },
    ],
    breaks: [SENT],
    worlds: "members",
    firstSeed: 4,
  },
  {
    name: "a router does not look whether a user is suppressed",
    edits: [
      {
        file: "services/webhook-router/suppressions.ts",
        now: "return atMs !== undefined && receivedAtMs > atMs + IN_FORCE_MS;",
        before: "return atMs !== undefined && receivedAtMs > atMs + 1_000 * IN_FORCE_MS;",
      },
    ],
    breaks: [ROUTED],
    worlds: "members",
    firstSeed: 98,
  },
  {
    name: "suppressed users are given to a destination that is connected later",
    edits: [
      {
        file: "services/control/records/profiles/replica.ts",
        now: "return this.#isSilenced(id, state) ? { ...state, results: [] } : state;",
        before: "return state;",
      },
      {
        file: SYNCING,
        now: "state.redirectTo !== null || this.#work.isSuppressed(id)) continue;",
        before: "state.redirectTo !== null) continue;",
      },
      {
        file: SYNCING,
        now: "const left = some.filter(({ profileId }) => !isSuppressed(profileId));",
        before: "const left = some;",
      },
    ],
    breaks: [ROUTED],
    worlds: "members",
    firstSeed: 856,
  },
  {
    name: "suppressions are written while an older regulation has not written its own",
    edits: [
      {
        file: REGULATION,
        now: "  await work.store.untilOlderAreWritten(noted, signal);\n",
        before: "",
      },
    ],
    breaks: [LAST_WORD],
    worlds: "members",
    firstSeed: 208,
  },
  {
    name: "a regulation that is let go of ends",
    edits: [{ file: REGULATION, now: "  if (!signal.aborted) await note", before: "  await note" }],
    breaks: [TOLD],
    worlds: "members",
    firstSeed: 971,
  },
  {
    name: "a regulation is noted as notified before it is",
    edits: [
      {
        file: REGULATION,
        now: "      regulation = await notifyOf(regulation, next, working);\n",
        before:
          "      regulation = notified(regulation, next.userIds.length, work.nowMs());\n      const { noted: before } = working;\n      await note(regulation, working);\n      await notifyOf(before, next, working);\n",
      },
    ],
    breaks: [TOLD],
    worlds: "members",
    firstSeed: 235,
  },
];
