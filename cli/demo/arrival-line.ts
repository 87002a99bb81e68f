import { printable } from "../terminal-text.ts";
import type { Arrival } from "./demo-receiver.ts";

const TYPE_WIDTH = 8;
const NAME_WIDTH = 24;
const USER_WIDTH = 16;

/** Prints a value that anyone with a write key may have chosen. */
function text(value: unknown): string {
  return typeof value === "string" ? printable(value) : "";
}

/** The key and value in an identify of an audience or computed trait. */
function computedOf({ context, traits }: Arrival["body"]): string {
  const { personas } = (context ?? {}) as { personas?: { computation_key?: unknown } };
  const key = personas?.computation_key;
  if (typeof key !== "string" || typeof traits !== "object" || traits === null) return "";
  return printable(`${key}: ${JSON.stringify((traits as Record<string, unknown>)[key])}`);
}

/** The name that a person knows the call by. */
function nameOf(body: Arrival["body"]): string {
  const computed = computedOf(body);
  if (computed !== "") return computed;
  return text(body["event"]) || text(body["name"]) || text(body["groupId"]) || text(body["Previous ID"]);
}

/** The time from ingest's acceptance (the call's receivedAt) to the arrival. */
function latencyText({ body, arrivedAtMs }: Arrival): string {
  const receivedAtMs = Date.parse(text(body["receivedAt"]));
  return Number.isNaN(receivedAtMs) ? "" : `${arrivedAtMs - receivedAtMs} ms`;
}

/** One line of the table of arrivals. */
export function arrivalLine(arrival: Arrival): string {
  const { body, isSigned } = arrival;
  const user = text(body["userId"]) || text(body["anonymousId"]) || text(body["User ID"]);
  const signature = isSigned ? "signature ok" : "SIGNATURE WRONG";
  return [
    `  ${text(body["type"]).padEnd(TYPE_WIDTH)}`,
    nameOf(body).padEnd(NAME_WIDTH),
    user.padEnd(USER_WIDTH),
    `${signature}  ${latencyText(arrival)}`,
  ].join(" ");
}
