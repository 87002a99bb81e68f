// The details that the attempt log records of a request beside its outcome (decision 26). Pure.
import type { RequestPhases, RequestResult, ResponseHeaders } from "#contract";
import type { Mask } from "#secrets";
import { type AttemptDetails, NO_DETAILS } from "#topics";
import { type Masking, SHOWN_BODY_BYTES } from "./masking.ts";

/** They tell which server answered, when, what it wants, and by what its owner finds the request. */
const HEADERS = [
  "content-type",
  "date",
  "location",
  "retry-after",
  "server",
  "www-authenticate",
  "x-request-id",
] as const;

const MAX_HEADER_CHARACTERS = 200;

/** Holds no secret. */
export function detailsOf(result: RequestResult, masking: Pick<Masking, "masked">): AttemptDetails {
  const { address = null, phases = {} } = result.trace ?? {};
  const connection = { address, ...timesOf(phases) };
  if (result.kind === "failure") return { ...NO_DETAILS, ...connection };
  const isSuccess = result.status >= 200 && result.status < 300;
  return masking.masked((mask) => ({
    responseBody: isSuccess ? null : mask.beginning(result.body, SHOWN_BODY_BYTES),
    responseHeaders: headersOf(result.headers ?? {}, mask),
    ...connection,
  }));
}

function headersOf(headers: ResponseHeaders, mask: Mask): Record<string, string> {
  const found = HEADERS.filter((name) => headers[name] !== undefined);
  // Masked as one text, which no header's value can have a line's end in: most hold no secret, and to look through each costs most.
  const text = found.map((name) => textOf(headers[name])).join("\n");
  const masked = mask(text);
  const values = masked === text ? text.split("\n") : found.map((name) => mask(textOf(headers[name])));
  return Object.fromEntries(
    found.map((name, index) => [name, values[index]?.slice(0, MAX_HEADER_CHARACTERS) ?? ""]),
  );
}

function textOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

function timesOf({ connectMs, dnsMs, tlsMs, waitMs }: RequestPhases) {
  return { dnsMs: whole(dnsMs), connectMs: whole(connectMs), tlsMs: whole(tlsMs), waitMs: whole(waitMs) };
}

function whole(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
