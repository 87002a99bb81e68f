import { maskCredentials } from "#runtime";
import { printable } from "../../cli/terminal-text.ts";

/** The meaning of a service's log line for the person who runs `npm start`. */
export type ServiceLine =
  | { readonly kind: "ready"; readonly ports: Readonly<Record<string, number>> }
  /** A line for the terminal. A warning is something that passes by itself; fatal is why a service ended. */
  | { readonly kind: "show"; readonly text: string; readonly severity: "warn" | "error" | "fatal" }
  /** A line for the log file only. */
  | { readonly kind: "keep" };

type Severity = Extract<ServiceLine, { kind: "show" }>["severity"];

function isShown(level: unknown): level is Severity {
  return level === "warn" || level === "error" || level === "fatal";
}

function isNumberEntry(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === "number";
}

function parseJson(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The message of a logged error, when it is one. */
function errorText({ err }: Record<string, unknown>): string {
  if (typeof err !== "object" || err === null || !("message" in err)) return "";
  return `: ${String(err.message)}`;
}

/** Fields that every line has, or that are shown elsewhere in it. */
const NOT_FACTS: ReadonlySet<string> = new Set(["level", "time", "service", "component", "msg", "err"]);
/** An endpoint may have written it; the log file has all of it. */
const MAX_FACT_CHARACTERS = 200;

function factText([name, value]: [string, unknown]): string[] {
  const isText = typeof value === "string" || typeof value === "number";
  // Nothing was held back: that is what a person takes for granted.
  if (!isText || value === "" || NOT_FACTS.has(name) || (name === "heldBack" && value === 0)) return [];
  const text = String(value);
  const isLong = text.length > MAX_FACT_CHARACTERS;
  return [`${name} ${isLong ? `${text.slice(0, MAX_FACT_CHARACTERS)}…` : text}`];
}

/** The subject of a line: destination, endpoint, reason, partition, ... */
function factsText(fields: Record<string, unknown>): string {
  const facts = Object.entries(fields).flatMap(factText);
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/** An endpoint's or a broker's words may be in it. */
function shown(text: string): string {
  return printable(maskCredentials(text));
}

/** Reads one line of a service's output; what is not a log line of ours (a crash of Node) is shown as it is. */
export function readServiceLine(line: string): ServiceLine {
  const fields = parseJson(line);
  if (fields === undefined) return { kind: "show", text: shown(line), severity: "error" };
  const { msg, level } = fields;
  if (msg === "ready") {
    const ports = Object.entries(fields).filter(isNumberEntry);
    return { kind: "ready", ports: Object.fromEntries(ports) };
  }
  if (!isShown(level)) return { kind: "keep" };
  return {
    kind: "show",
    text: shown(`${level.toUpperCase()} ${String(msg)}${errorText(fields)}${factsText(fields)}`),
    severity: level,
  };
}
