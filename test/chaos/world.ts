import type { Stack } from "#stack";
import { type Deployment, startDeployment } from "#support/deployment";
import { moveLeaders } from "#support/leaders";
import { takeStack } from "#support/turn";
import { allTopics, type DeadLetter } from "#topics";
import { BEHAVIOURS, type DestinationName } from "./behaviours.ts";
import { judgeBody, ROUTES } from "./calls.ts";
import { type Endpoint, startEndpoint } from "./endpoint.ts";
import { processName, type Target } from "./events.ts";
import { calledBy, completeFleet, type Fleet, fleetOf } from "./fleet.ts";
import type { DeadCall } from "./ledger.ts";
import { type Network, startNetwork } from "./network.ts";
import type { Recorder } from "./recorder.ts";

const PARTITIONS = 12;
/**
 * Short, so that every call ends within the run, and twice as long as the longest row of events that overlap: a dozen attempts or so, and the last
 * retry leaves time to be taken over.
 */
const RETRY_DELAYS_MS = [1_000, 4_000];
const RETRY_WINDOW = "60s";
const SECRET = "conservation";

/** Everything that a run needs: brokers, the network to them, the product, the endpoints. */
export interface World {
  /** The endpoints count from here. */
  readonly startedAtMs: number;
  readonly stack: Stack;
  readonly network: Network;
  readonly fleet: Fleet;
  /** By the name of the source. */
  readonly writeKeys: ReadonlyMap<string, string>;
  readonly moveLeaders: (away: number) => Promise<void>;
  readonly deadCalls: () => Promise<DeadCall[]>;
  readonly close: () => Promise<void>;
}

export interface WorldOptions {
  readonly recorder: Recorder;
  readonly brokers: 1 | 3;
  readonly log: (line: string) => void;
}

function settingsOf(network: Network, target: Target): Record<string, string> {
  const name = calledBy(`${processName(target)}.1`);
  if (target.service !== "deliverer") return { ...name };
  return { ...name, HOOKLINE_KAFKA_BROKERS: network.brokersOf(target.index) };
}

async function startProduct(stack: Stack, network: Network): Promise<Deployment> {
  return startDeployment({
    stack: { brokers: stack.brokers, registryUrl: network.registryUrl },
    partitions: PARTITIONS,
    replicationFactor: stack.brokers.length,
    retryDelaysMs: RETRY_DELAYS_MS,
    settings: { HOOKLINE_RETRY_WINDOW: RETRY_WINDOW },
    settingsOf: { deliverer: settingsOf(network, { service: "deliverer", index: 0 }) },
  });
}

/** Endpoints, and a source and destinations for each route; gives the write keys and the destinations by their ids. */
async function connectRoutes({ control }: Deployment, urls: ReadonlyMap<DestinationName, string>) {
  const writeKeys = new Map<string, string>();
  const destinations = new Map<string, DestinationName>();
  for (const { source, destinations: names } of ROUTES) {
    const { id, writeKeys: keys } = await control.createSource(source);
    writeKeys.set(source, keys[0]);
    for (const name of names) {
      const webhooks = [{ url: urls.get(name) ?? "" }];
      const destination = await control.createDestination({
        name,
        sourceIds: [id],
        sharedSecret: SECRET,
        webhooks,
      });
      destinations.set(destination.id, name);
    }
  }
  return { writeKeys, destinations };
}

function deadCall(letter: DeadLetter, destinations: ReadonlyMap<string, DestinationName>): DeadCall {
  const destination = destinations.get(letter.destinationId ?? "");
  const last = letter.outcomes.map((outcome) => outcome.reason).join("+");
  const reason = last === "" ? letter.reason : `${letter.reason}: ${last}`;
  return { reason, ...(destination === undefined ? {} : { destination }), ...judgeBody(letter.body) };
}

async function build(undo: AsyncDisposableStack, { recorder, brokers, log }: WorldOptions): Promise<World> {
  const stack = await takeStack({ brokers, log });
  undo.defer(() => stack.stop());
  const network = await startNetwork(stack);
  undo.defer(() => network.close());
  const startedAtMs = Date.now();
  const endpoints = new Map<DestinationName, Endpoint>();
  for (const { name } of BEHAVIOURS) {
    const onAttempt = (attempt: Parameters<Recorder["attempted"]>[0]) => recorder.attempted(attempt);
    const endpoint = await startEndpoint({ destination: name, secret: SECRET, startedAtMs, onAttempt });
    undo.defer(() => endpoint.close());
    endpoints.set(name, endpoint);
  }
  const deployment = await startProduct(stack, network);
  undo.defer(async () => void (await deployment.stop()));
  const urls = new Map([...endpoints].map(([name, { url }]) => [name, url]));
  const { writeKeys, destinations } = await connectRoutes(deployment, urls);
  const fleet = fleetOf({ deployment, settingsOf: (target) => settingsOf(network, target) });
  await completeFleet(fleet);
  const topics = allTopics(deployment.topics).map(({ name }) => name);
  return {
    startedAtMs,
    stack,
    network,
    fleet,
    writeKeys,
    moveLeaders: (away) => moveLeaders({ brokers: stack.brokers, away, topics, partitions: PARTITIONS }),
    deadCalls: async () => (await deployment.deadLetters()).map((letter) => deadCall(letter, destinations)),
    close: () => undo.disposeAsync(),
  };
}

/** Brings everything up. Whoever starts it must close it. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const undo = new AsyncDisposableStack();
  try {
    return await build(undo, options);
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}
