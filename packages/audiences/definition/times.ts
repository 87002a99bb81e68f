// Dates as definitions and calls write them.

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Unix ms of an RFC 3339 date-time, fractions beyond milliseconds cut off; undefined for all else, 30 February included. */
export function parseRfc3339(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > 40) return undefined;
  const day = DATE_TIME.exec(value)?.[1];
  if (day === undefined) return undefined;
  const dayMs = Date.parse(day);
  // Date.parse makes 1 March of 30 February.
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined;
  const dateMs = Date.parse(value.toUpperCase());
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
