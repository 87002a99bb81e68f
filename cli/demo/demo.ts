import { randomBytes } from "node:crypto";
import { SPACE_SOURCE } from "#contract";
import { until } from "../until.ts";
import { arrivalLine } from "./arrival-line.ts";
import { showAudience } from "./demo-audience.ts";
import { type Arrival, type ReceiverAddress, startDemoReceiver } from "./demo-receiver.ts";

const SOURCE_NAME = "Demo source";
const DESTINATION_NAME = "Demo destination";

/** Calls that the demo shows before anybody sends one. */
const CALLS: readonly { readonly route: string; readonly body: object }[] = [
  { route: "identify", body: { userId: "ada", traits: { name: "Ada Lovelace", plan: "pro" } } },
  { route: "track", body: { userId: "ada", event: "Order Completed", properties: { total: 12.5 } } },
  { route: "page", body: { userId: "ada", name: "Home", properties: { path: "/" } } },
  { route: "group", body: { userId: "ada", groupId: "engines", traits: { name: "Analytical Engines" } } },
];

/** Goes ahead of the others, again and again until it arrives, and is not shown. */
const FIRST_CALL = { userId: "demo", event: "Hookline demo begins" };
const FIRST_CALL_EVERY_MS = 300;
const FIRST_CALL_TIMEOUT_MS = 30_000;

export interface DemoOptions {
  readonly ingestUrl: string;
  readonly controlUrl: string;
  /** Bearer token of the control API, when it wants one. */
  readonly token: string | undefined;
  readonly say: (line: string) => void;
  /** Whether there are audiences to show. */
  readonly hasAudiences?: boolean;
  /** The address of its webhook; on this machine unless given. */
  readonly receiver?: ReceiverAddress;
}

export interface Demo {
  readonly sourceId: string;
  readonly destinationId: string;
  readonly writeKey: string;
  readonly webhookUrl: string;
  /** Sends the demo's calls, and later one by which a user enters an audience; they are shown as they arrive. */
  readonly sendCalls: () => Promise<void>;
  readonly close: () => void;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

function controlApi({ controlUrl, token }: DemoOptions): Ask {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${controlUrl}${path}`, {
      method,
      // A page to log in would pass for an answer.
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`the control API answered ${response.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  };
}

/** One of an earlier start, where the data is kept. */
async function findNamed<T extends Named>(ask: Ask, path: string, name: string): Promise<T | undefined> {
  const { data } = await ask<{ data: T[] }>("GET", `${path}?name=${encodeURIComponent(name)}&limit=1`);
  return data[0];
}

async function makeSource(ask: Ask): Promise<{ id: string; writeKey: string }> {
  type Source = Named & { writeKeys: string[] };
  const source =
    (await findNamed<Source>(ask, "/v1/sources", SOURCE_NAME)) ??
    (await ask<Source>("POST", "/v1/sources", { name: SOURCE_NAME }));
  const writeKey = source.writeKeys.at(-1);
  if (writeKey === undefined) throw new Error("the demo source has no write key");
  return { id: source.id, writeKey };
}

async function makeDestination(ask: Ask, settings: object): Promise<string> {
  const found = await findNamed(ask, "/v1/destinations", DESTINATION_NAME);
  const { id } =
    found === undefined
      ? await ask<Named>("POST", "/v1/destinations", { name: DESTINATION_NAME, ...settings })
      : await ask<Named>("PATCH", `/v1/destinations/${found.id}`, settings);
  return id;
}

interface Target {
  readonly ingestUrl: string;
  readonly writeKey: string;
}

function postCall({ ingestUrl, writeKey }: Target, route: string, body: object): Promise<Response> {
  return fetch(`${ingestUrl}/v1/${route}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`${writeKey}:`).toString("base64")}`,
    },
    body: JSON.stringify(body),
  });
}

async function sendCall(target: Target, route: string, body: object): Promise<void> {
  const response = await postCall(target, route, body);
  if (!response.ok) throw new Error(`ingest answered ${response.status}: ${await response.text()}`);
}

/**
 * Ends when a call has gone all the way: the new source and destination are known everywhere then, which may take a
 * second after the control API's answer (contract 10.1), and every service has warmed up.
 */
async function untilDelivered(target: Target, hasArrived: () => boolean): Promise<void> {
  const send = async (): Promise<boolean> => {
    if (hasArrived()) return true;
    const response = await postCall(target, "track", FIRST_CALL);
    await response.body?.cancel();
    return false;
  };
  const what = "the demo's first call to arrive at its webhook";
  await until(send, { timeoutMs: FIRST_CALL_TIMEOUT_MS, pollMs: FIRST_CALL_EVERY_MS, what });
}

/** A source, a receiver and a destination between them, with the way through proven. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { ingestUrl, say } = options;
  const ask = controlApi(options);
  const sharedSecret = randomBytes(16).toString("hex");
  let hasArrived = false;
  let isClosed = false;
  const onArrival = (arrival: Arrival): void => {
    if (arrival.body["event"] === FIRST_CALL.event) hasArrived = true;
    else say(arrivalLine(arrival));
  };
  const receiver = await startDemoReceiver(sharedSecret, onArrival, options.receiver);
  try {
    const { id: sourceId, writeKey } = await makeSource(ask);
    const sourceIds = [sourceId, SPACE_SOURCE];
    const webhooks = [{ url: receiver.url }];
    const destinationId = await makeDestination(ask, { sourceIds, enabled: true, sharedSecret, webhooks });
    const target = { ingestUrl, writeKey };
    await untilDelivered(target, () => hasArrived);
    return {
      sourceId,
      destinationId,
      writeKey,
      webhookUrl: receiver.url,
      sendCalls: async () => {
        for (const { route, body } of CALLS) await sendCall(target, route, body);
        const track = (body: object): Promise<void> => sendCall(target, "track", body);
        if (options.hasAudiences === false) return;
        showAudience({ ask, track, say }).catch((error: unknown) => {
          if (!isClosed) say(`WARN the demo's audience is not shown: ${String(error)}`);
        });
      },
      close() {
        isClosed = true;
        receiver.close();
      },
    };
  } catch (error) {
    receiver.close();
    throw error;
  }
}
