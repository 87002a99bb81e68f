// A state in a word, with a colour beside it that says no more than the word.

const TONES: Readonly<Record<string, "good" | "bad" | "wait">> = {
  healthy: "good",
  delivered: "good",
  success: "good",
  live: "good",
  finished: "good",
  done: "good",
  sent: "good",
  applied: "good",
  closed: "good",
  resolved: "good",
  accepted: "good",
  failing: "bad",
  breaker_open: "bad",
  open: "bad",
  dead: "bad",
  refused: "bad",
  failed: "bad",
  recovering: "wait",
  waiting: "wait",
  paused: "wait",
  queued: "wait",
  preparing: "wait",
  running: "wait",
  half_open: "wait",
  acknowledged: "wait",
  snoozed: "wait",
};

export function State({ of: state }: { readonly of: string }) {
  return <span className={`state ${TONES[state] ?? ""}`}>{state.replaceAll("_", " ")}</span>;
}

/** Whether a request delivered its call; every reason but success is a failure. */
export function Outcome({ of: outcome, status }: { readonly of: string; readonly status?: number | null }) {
  const text = typeof status === "number" && outcome !== "success" ? `${outcome} ${status}` : outcome;
  return (
    <span className={`state ${outcome === "success" ? "good" : "bad"}`}>{text.replaceAll("_", " ")}</span>
  );
}

interface Sent {
  readonly enabled: boolean;
  readonly paused: unknown;
  readonly health: { readonly state: string };
}

/** Of a destination that gets no calls, whatever its health is, that it gets none. */
export function stateOfDestination({ enabled, health, paused }: Sent): string {
  if (!enabled) return "off";
  return paused === null ? health.state : "paused";
}
