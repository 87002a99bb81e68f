const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** The shortest exact way to write a duration: "90m", "2h", "1500ms". Days only where they are asked for: names of topics have none. */
export function durationText(durationMs: number, { days = false }: { readonly days?: boolean } = {}): string {
  const units = Object.entries(UNITS_MS).filter(([unit]) => days || unit !== "d");
  const [unit, ms] = units.find(([, unitMs]) => durationMs % unitMs === 0) ?? ["ms", 1];
  return `${durationMs / ms}${unit}`;
}
