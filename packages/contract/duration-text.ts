// Durations as people write them, in requests, definitions and settings: "90s" or ISO 8601, "PT90S".

/** Milliseconds of each unit, the largest first. No other table has them: a unit that is added here is read in every field. */
export const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

type Unit = keyof typeof UNITS_MS;

const UNITS = Object.entries(UNITS_MS);
const COUNT_AND_UNIT = /^(\d+(?:\.\d+)?)([a-z]+)$/;
/** Weeks, months and years have no fixed length, or need none. */
const ISO = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** Milliseconds of "250ms", "1.5h", "30d" or "PT2H"; undefined for all else. Whether so long is allowed is its field's rule. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const [, count, given] = COUNT_AND_UNIT.exec(value) ?? [];
  const [, unitMs] = UNITS.find(([unit]) => unit === given) ?? [];
  return unitMs === undefined ? parseIso(value) : Math.round(Number(count) * unitMs);
}

function parseIso(text: string): number | undefined {
  const match = ISO.exec(text);
  if (match === null || text.endsWith("P") || text.endsWith("T")) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round(days * UNITS_MS.d + hours * UNITS_MS.h + minutes * UNITS_MS.m + seconds * UNITS_MS.s);
}

/** The shortest exact way to write a duration: "90m", "2h", "1500ms". Names of topics have no days, so their largest unit is hours. */
export function formatDuration(durationMs: number, largest: Unit = "d"): string {
  const units = UNITS.slice(UNITS.findIndex(([unit]) => unit === largest));
  const [unit, unitMs] = units.find(([, ms]) => durationMs % ms === 0) ?? ["ms", 1];
  return `${durationMs / unitMs}${unit}`;
}
