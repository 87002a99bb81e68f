// How the endpoints of a run behave. Pure: what an endpoint answers follows from the call, from how often it has come, and
// from the time.
import { Random } from "#testing";

export type Answer =
  /** 2xx: the call is delivered. */
  | { readonly kind: "take"; readonly delayMs: number }
  | { readonly kind: "refuse"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "reset" }
  /** No answer; the sender gives up by itself. */
  | { readonly kind: "hang" };

interface Receipt {
  readonly call: number;
  /** How often the call has come to this endpoint, this time included. */
  readonly times: number;
  /** Since the run began. */
  readonly elapsedMs: number;
}

export interface Behaviour {
  readonly name: string;
  /** It takes every call at the first attempt: what comes twice is a duplicate and never a retry. */
  readonly takesAlways: boolean;
  /** How a call to it may end in the dead letters: the reason's first word. Anything else is no end that it explains. */
  readonly deadBy: readonly string[];
  readonly answer: (receipt: Receipt) => Answer;
}

const TAKE: Answer = { kind: "take", delayMs: 0 };

/** From 0 up to, not including, 1: the same for a call that comes for the same time. */
const chanceOf = ({ call, times }: Pick<Receipt, "call" | "times">): number =>
  new Random(times).split(String(call)).next();

/** Longer than the longest retry delay: the waiting calls hop through several retry topics. */
const BUSY_RETRY_AFTER_SECONDS = 7;

/** Whether `elapsedMs` falls into the first `partMs` of its period, the first period excepted: all begins well. */
function inPart(elapsedMs: number, periodMs: number, partMs: number): boolean {
  return elapsedMs > periodMs && elapsedMs % periodMs < partMs;
}

/** "recovering" fails, answers some again, and is well until its next period. */
const RECOVERING = { periodMs: 16_000, failingMs: 6_000, halfMs: 5_000 };

/** From a time in a run, both in ms since the run began, until "recovering" next answers some calls again. */
export function untilRecoveryMs(elapsedMs: number): number {
  const { periodMs, failingMs } = RECOVERING;
  // In its first period it is well.
  const first = periodMs + failingMs;
  return elapsedMs < first ? first - elapsedMs : (periodMs - ((elapsedMs - first) % periodMs)) % periodMs;
}

function recovering({ call, times, elapsedMs }: Receipt): Answer {
  const { periodMs, failingMs, halfMs } = RECOVERING;
  if (inPart(elapsedMs, periodMs, failingMs)) return { kind: "refuse", status: 500 };
  const isRetry = times > 1;
  return isRetry && inPart(elapsedMs, periodMs, failingMs + halfMs) && chanceOf({ call, times }) < 0.5
    ? { kind: "hang" }
    : TAKE;
}

/** It fails for a time: a call ends with its window, or was never asked because others found the endpoint ill. */
const FAILS_FOR_A_TIME = ["window_over", "not_asked"];
const ailing = { takesAlways: false, deadBy: FAILS_FOR_A_TIME };
const healthy = { takesAlways: true, deadBy: [], answer: (): Answer => TAKE };

export const BEHAVIOURS = [
  { name: "healthy-a", ...healthy },
  { name: "healthy-b", ...healthy },
  {
    name: "slow",
    takesAlways: true,
    deadBy: [],
    answer: ({ call }) => ({ kind: "take", delayMs: 100 + 500 * chanceOf({ call, times: 1 }) }),
  },
  {
    name: "flapping",
    ...ailing,
    answer: ({ elapsedMs }) => (inPart(elapsedMs, 8_000, 3_000) ? { kind: "refuse", status: 500 } : TAKE),
  },
  {
    name: "resetting",
    ...ailing,
    answer: ({ call, times }) => (chanceOf({ call, times }) < 0.3 ? { kind: "reset" } : TAKE),
  },
  {
    name: "hanging",
    ...ailing,
    answer: ({ elapsedMs }) => (inPart(elapsedMs, 24_000, 8_000) ? { kind: "hang" } : TAKE),
  },
  { name: "recovering", ...ailing, answer: recovering },
  {
    name: "busy",
    ...ailing,
    answer: ({ elapsedMs }) =>
      inPart(elapsedMs, 16_000, 4_000)
        ? { kind: "refuse", status: 503, retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS }
        : TAKE,
  },
  {
    name: "gone",
    takesAlways: false,
    deadBy: ["permanent"],
    answer: () => ({ kind: "refuse", status: 410 }),
  },
  { name: "failing", ...ailing, answer: () => ({ kind: "refuse", status: 503 }) },
] as const satisfies readonly Behaviour[];

export type DestinationName = (typeof BEHAVIOURS)[number]["name"];

export function behaviourOf(name: DestinationName): Behaviour {
  const found = BEHAVIOURS.find((behaviour) => behaviour.name === name);
  if (found === undefined) throw new RangeError(`no behaviour ${name}`);
  return found;
}
