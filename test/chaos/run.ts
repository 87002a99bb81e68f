// One run: calls flow while the schedule disturbs what carries them; then every one of them is looked for.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { BROKERS, describeEvent } from "./events.ts";
import type { Ledger } from "./ledger.ts";
import { perform } from "./perform.ts";
import { Recorder } from "./recorder.ts";
import { PHASES_OF_A_ROUND, type Phase, type PlannedEvent, planSchedule } from "./schedule.ts";
import { type Sender, startSender } from "./sender.ts";
import { settle } from "./settle.ts";
import { startWorld, type World } from "./world.ts";

/** Undisturbed, so that there is something to compare with. */
const QUIET_START_MS = { hurried: 4_000, otherwise: 10_000 };
const PROGRESS_EVERY_MS = 10_000;

export interface RunOptions {
  /** Calls to be acknowledged, at least. */
  readonly calls: number;
  readonly seed: number;
  readonly callsPerSecond: number;
  /** Several things at a time from the beginning. */
  readonly isHurried?: boolean;
  readonly log: (line: string) => void;
}

export interface RunResult {
  readonly ledger: Ledger;
  readonly refusals: ReadonlyMap<number, number>;
  readonly durationMs: number;
  /** How long this process, with the callers and the endpoints in it, did nothing: what a machine too small adds to everything. */
  readonly stallMs: { readonly p99: number; readonly max: number };
}

interface Running {
  readonly world: World;
  readonly recorder: Recorder;
  readonly say: (line: string) => void;
  /** Aborted when the run has failed. */
  readonly failure: AbortController;
}

async function runTrack(
  { world, recorder, say, failure }: Running,
  track: readonly PlannedEvent[],
): Promise<void> {
  for (const { gapMs, event } of track) {
    await pause(gapMs);
    failure.signal.throwIfAborted();
    say(describeEvent(event));
    const disturbance = await perform(world, event);
    recorder.disturbed(disturbance);
  }
}

/** Things take longer than they are expected to on a busy machine: with the calls sent, whole rounds are enough. */
async function runPhases(running: Running, phases: readonly Phase[], calls: number): Promise<void> {
  for (const [index, { tracks }] of phases.entries()) {
    const isNewRound = index > 0 && index % PHASES_OF_A_ROUND === 0;
    if (isNewRound && running.recorder.acknowledged >= calls) return;
    await Promise.all(tracks.map((track) => runTrack(running, track)));
  }
}

function progress({ recorder, say }: Running): () => void {
  const timer = setInterval(() => {
    const { acknowledged, attempts, open } = recorder;
    say(`${acknowledged} acknowledged, ${attempts} requests to endpoints, ${open} deliveries open`);
  }, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

/** Sends calls while the schedule is carried out; ends when both are through. */
async function disturb(running: Running, options: RunOptions): Promise<Sender> {
  const { world, recorder, failure } = running;
  const { calls, callsPerSecond } = options;
  let isDisturbed = true;
  const sender = startSender({
    ingestUrls: world.fleet.ingestUrls,
    writeKeys: world.writeKeys,
    callsPerSecond,
    recorder,
    isEnough: () => !isDisturbed && recorder.acknowledged >= calls,
    signal: failure.signal,
  });
  const durationMs = (calls / callsPerSecond) * 1000;
  await pause(options.isHurried ? QUIET_START_MS.hurried : QUIET_START_MS.otherwise);
  await runPhases(running, planSchedule({ ...options, durationMs }), calls);
  isDisturbed = false;
  await sender.done;
  return sender;
}

/** Runs all of it on a stack of its own; leaves nothing behind. */
export async function runConservation(options: RunOptions): Promise<RunResult> {
  const recorder = new Recorder();
  const world = await startWorld({ recorder, brokers: BROKERS, log: options.log });
  const startedAtMs = performance.now();
  const say = (line: string): void =>
    options.log(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(7)} s  ${line}`);
  const failure = new AbortController();
  const running: Running = { world, recorder, say, failure };
  const stopProgress = progress(running);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  try {
    const { refusals } = await disturb(running, options);
    say("everything is sent; waiting until every call has ended");
    const ledger = await settle(world, recorder);
    const stallMs = { p99: Math.round(delay.percentile(99) / 1e6), max: Math.round(delay.max / 1e6) };
    return { ledger, refusals, durationMs: performance.now() - startedAtMs, stallMs };
  } finally {
    failure.abort();
    stopProgress();
    delay.disable();
    await world.close();
  }
}
