import type { Arrival } from "./demo-receiver.ts";
import { printable } from "./terminal-text.ts";

const TYPE_WIDTH = 8;
const NAME_WIDTH = 24;
const USER_WIDTH = 16;

/** Anyone who has a write key chose it. */
function text(value: unknown): string {
  return typeof value === "string" ? printable(value) : "";
}

/** The name that a person knows the call by. */
function nameOf(body: Arrival["body"]): string {
  return text(body["event"]) || text(body["name"]) || text(body["groupId"]) || text(body["Previous ID"]);
}

/** From ingest's acceptance (the call's receivedAt) to the arrival. */
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
