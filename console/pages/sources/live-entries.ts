// What a line of the live stream says of an event, whose fields are read with care: they are what a newer control may send.
import type { LiveEntry } from "../../api/live.ts";
import { amount } from "../../elements/times.ts";

interface Line {
  readonly what: string;
  readonly call?: {
    readonly messageId: string;
    readonly sourceId?: string;
    readonly userId?: string;
    readonly anonymousId?: string;
  };
  readonly destinationId?: string;
  readonly outcome?: { readonly of: string; readonly status: number | null };
}

type Data = LiveEntry["data"];

function text(data: Data, name: string): string | undefined {
  const value = data[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function callOf(data: Data): Pick<Line, "call"> {
  const messageId = text(data, "messageId");
  if (messageId === undefined) return {};
  const of = ["sourceId", "userId", "anonymousId"].flatMap((name) => {
    const value = text(data, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { call: { messageId, ...Object.fromEntries(of) } };
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" · ");
}

export function lineOf({ name, data }: LiveEntry): Line {
  const who = text(data, "userId") ?? text(data, "anonymousId");
  if (name === "accepted")
    return { what: joined(text(data, "type"), text(data, "event"), who), ...callOf(data) };
  if (name === "refused")
    return {
      what: joined(text(data, "code"), text(data, "message"), amount(Number(data["calls"] ?? 1), "call")),
    };
  if (name === "left_out")
    return {
      what: `Not shown: ${amount(Number(data["events"] ?? 0), "event")} and ${amount(Number(data["records"] ?? 0), "record")}`,
    };
  if (name === "missed")
    return { what: `${String(data["events"] ?? "an unknown number of")} events of before are held no more` };
  const destinationId = text(data, "destinationId");
  const status = typeof data["status"] === "number" ? data["status"] : null;
  return {
    what: joined(text(data, "type"), text(data, "error"), who),
    ...callOf(data),
    ...(destinationId !== undefined && { destinationId }),
    outcome: { of: text(data, "outcome") ?? name, status },
  };
}

/** What was sent, and the other fields. */
export function bodyOf({ data }: LiveEntry): { readonly body: string | undefined; readonly rest: Data } {
  const { bodyText: _, ...rest } = data;
  return { body: text(data, "bodyText"), rest };
}

const lowerCase = new WeakMap<LiveEntry, string>();

/** The text that came has the quotation marks of the body escaped. */
function shownOf(entry: LiveEntry): string {
  const { body = "", rest } = bodyOf(entry);
  return `${JSON.stringify(rest)}\n${body}`;
}

/** Made once for each: ten thousand are searched five times a second. */
function lowerCaseOf(entry: LiveEntry): string {
  const known = lowerCase.get(entry) ?? shownOf(entry).toLowerCase();
  lowerCase.set(entry, known);
  return known;
}

/** Whether it has the text anywhere, whatever the case. */
export function matches(entry: LiveEntry, search: string | undefined): boolean {
  return search === undefined || lowerCaseOf(entry).includes(search.toLowerCase());
}
