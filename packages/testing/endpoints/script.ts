import type { Random } from "../random.ts";

/** How an endpoint answers for a while. Milliseconds. */
export type Behaviour =
  | { readonly kind: "well"; readonly fromMs: number; readonly toMs: number }
  /** Takes calls, but slowly. */
  | { readonly kind: "slow"; readonly fromMs: number; readonly toMs: number }
  /** Accepts requests and never answers. */
  | { readonly kind: "hanging" }
  | { readonly kind: "unavailable"; readonly retryAfterS: number | undefined }
  | { readonly kind: "throttling"; readonly retryAfterS: number }
  | { readonly kind: "resetting" }
  | { readonly kind: "refusing_connections" }
  /** Fails so many of its requests, 0 to 1, takes the others. */
  | { readonly kind: "flaky"; readonly share: number }
  /** Leaves so many of its requests without an answer, 0 to 1, takes the others. */
  | { readonly kind: "faltering"; readonly share: number }
  /** Answers 400 to every call. */
  | { readonly kind: "rejecting" };

/** From its start on, until the next one. */
export interface Phase {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly behaviour: Behaviour;
}

export interface Script {
  readonly url: string;
  /** Outside of its phases. */
  readonly usually: Behaviour & { readonly kind: "well" };
  readonly phases: readonly Phase[];
}

export function behaviourAt({ phases, usually }: Script, atMs: number): Behaviour {
  return phases.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs)?.behaviour ?? usually;
}

/** What an endpoint does with one request; without `afterMs` nothing. */
export interface Answer {
  readonly afterMs: number | undefined;
  readonly kind: "status" | "reset" | "connect";
  readonly status: number;
  readonly retryAfter: string | undefined;
}

const SOON_MS = { from: 1, to: 15 };
const NEVER: Answer = { afterMs: undefined, kind: "status", status: 0, retryAfter: undefined };

export function answer(behaviour: Behaviour, random: Random): Answer {
  const soonMs = random.between(SOON_MS.from, SOON_MS.to);
  const status = (code: number, retryAfterS?: number): Answer => ({
    afterMs: soonMs,
    kind: "status",
    status: code,
    retryAfter: retryAfterS === undefined ? undefined : String(retryAfterS),
  });
  switch (behaviour.kind) {
    case "well":
    case "slow":
      return { ...status(200), afterMs: random.between(behaviour.fromMs, behaviour.toMs) };
    case "hanging":
      return NEVER;
    case "unavailable":
      return status(503, behaviour.retryAfterS);
    case "throttling":
      return status(429, behaviour.retryAfterS);
    case "resetting":
      return { ...status(0), kind: "reset" };
    case "refusing_connections":
      return { ...status(0), kind: "connect" };
    case "flaky":
      return status(random.chance(behaviour.share) ? 500 : 200);
    case "faltering":
      return random.chance(behaviour.share) ? NEVER : status(200);
    case "rejecting":
      return status(400);
  }
}
