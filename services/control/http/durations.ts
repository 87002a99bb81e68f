// Durations as people write them in requests: "2h" as in settings, or ISO 8601 "PT2H".
import { durationText } from "#contract";
import { value } from "#runtime";

/** Weeks, months and years have no fixed length, or need none. */
const ISO = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** Milliseconds, or undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const parsed = value.duration.parse(text);
  if (parsed.ok) return parsed.value;
  const match = ISO.exec(text);
  if (match === null || text.endsWith("P") || text.endsWith("T")) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000);
}

/** The shortest exact way to write it: "90m", "2h", "1d". */
export function formatDuration(durationMs: number): string {
  return durationText(durationMs, { days: true });
}
