// The calls of a run. A call follows from its number alone, so what a receiver gets can be compared with what was sent
// without keeping either.
import type { DestinationName } from "./behaviours.ts";

const TIMESTAMP = "2026-01-02T03:04:05.678Z";
const USERS_OF_A_SOURCE = 16;

/** A source and the destinations that it is connected to. */
export interface Route {
  readonly source: string;
  readonly destinations: readonly DestinationName[];
}

const HEALTHY: Route = { source: "healthy", destinations: ["healthy-a", "healthy-b"] };

function routeTo(destination: DestinationName): Route {
  return { source: destination, destinations: [destination] };
}

export const ROUTES: readonly Route[] = [
  HEALTHY,
  ...(["slow", "flapping", "resetting", "hanging", "recovering", "busy", "gone", "failing"] as const).map(
    routeTo,
  ),
];

/** Of twenty calls in a row: to which route each goes. */
const TURNS = [
  ...Array<string>(6).fill("healthy"),
  ...["recovering", "recovering", "slow", "slow", "flapping", "flapping", "resetting", "resetting"],
  ...["hanging", "hanging", "busy", "busy", "gone", "failing"],
];

export function routeOf(call: number): Route {
  const source = TURNS[call % TURNS.length];
  return ROUTES.find((route) => route.source === source) ?? HEALTHY;
}

export function userOf(call: number): string {
  return `${routeOf(call).source}-${Math.floor(call / 3) % USERS_OF_A_SOURCE}`;
}

const PREFIX = "call-";

export function messageIdOf(call: number): string {
  return `${PREFIX}${call}`;
}

/** The number of the call with this messageId; undefined for one that no run sends. */
export function callNumber(messageId: unknown): number | undefined {
  if (typeof messageId !== "string" || !messageId.startsWith(PREFIX)) return undefined;
  const call = Number(messageId.slice(PREFIX.length));
  return Number.isSafeInteger(call) && messageIdOf(call) === messageId ? call : undefined;
}

/** What a call carries: the values that get lost most easily on the way. */
function cargo(call: number): object {
  return {
    2: "integer keys come first",
    number: call / 8,
    tiny: call * 1e-9,
    text: `Größe ✓ <&> \u2028 "${"x".repeat(call % 200)}"`,
    list: [call, null, { deep: [true, ""] }],
  };
}

/** The type of the call and what is sent; its route on the API is the type. */
export function sentCall(call: number): { readonly type: string; readonly body: object } {
  const common = { messageId: messageIdOf(call), userId: userOf(call), timestamp: TIMESTAMP };
  const rest = { context: { app: { build: call } }, extra: { kept: call } };
  switch (call % 4) {
    case 0:
      return { type: "identify", body: { ...common, traits: cargo(call), ...rest } };
    case 1:
      return { type: "page", body: { ...common, properties: cargo(call), ...rest } };
    default:
      return { type: "track", body: { ...common, event: "Order", properties: cargo(call), ...rest } };
  }
}

/** The delivered body as the contract writes it down (2.4); `receivedAt` is ingest's clock. */
export function deliveredBody(call: number, receivedAt: unknown): string {
  const first = { version: 1, type: sentCall(call).type, userId: userOf(call) };
  const last = {
    timestamp: TIMESTAMP,
    context: { app: { build: call } },
    messageId: messageIdOf(call),
    originalTimestamp: TIMESTAMP,
    receivedAt,
    extra: { kept: call },
  };
  switch (call % 4) {
    case 0:
      return JSON.stringify({ ...first, traits: cargo(call), ...last });
    case 1:
      return JSON.stringify({ ...first, properties: cargo(call), ...last });
    default:
      return JSON.stringify({ ...first, event: "Order", properties: cargo(call), ...last });
  }
}

/** A body that came out at the other end. */
export interface Judged {
  /** undefined: no call of a run. */
  readonly call?: number;
  /** What is wrong with it. */
  readonly alteration?: string;
}

/** Whether these are, to the byte, the body of a call that was sent. */
export function judgeBody(body: Buffer): Judged {
  const text = body.toString("utf8");
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { alteration: "the body is no JSON" };
  }
  const call = callNumber(json["messageId"]);
  if (call === undefined) return { alteration: "the messageId is none that was sent" };
  if (Number.isNaN(Date.parse(String(json["receivedAt"])))) {
    return { call, alteration: "receivedAt is no time" };
  }
  return deliveredBody(call, json["receivedAt"]) === text
    ? { call }
    : { call, alteration: "the body differs" };
}
