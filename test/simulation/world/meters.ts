import type { Counter, Gauge, Histogram, Metrics } from "#runtime";

type Labels = Readonly<Record<string, string>>;

/** A process's metrics as plain numbers: the real ones watch the machine, which a simulated process does not have. */
export class Meters implements Metrics {
  readonly contentType = "text/plain";
  readonly #counters = new Map<string, number>();
  readonly #gauges = new Map<string, (() => void)[]>();
  readonly #values = new Map<string, number>();

  counter(options: { readonly name: string }): Counter<never> {
    return {
      inc: (labels: Labels, by = 1) => {
        const key = keyOf(options.name, labels);
        this.#counters.set(key, (this.#counters.get(key) ?? 0) + by);
      },
    };
  }

  gauge(options: { readonly name: string; collect?(gauge: Gauge<never>): void }): Gauge<never> {
    const gauge: Gauge<never> = {
      set: (labels: Labels, value: number) => void this.#values.set(keyOf(options.name, labels), value),
    };
    const { collect } = options;
    if (collect !== undefined) {
      const collected = this.#gauges.get(options.name) ?? [];
      this.#gauges.set(options.name, [...collected, () => collect(gauge)]);
    }
    return gauge;
  }

  histogram(): Histogram<never> {
    return { observe: () => undefined };
  }

  async expose(): Promise<string> {
    return "";
  }

  /** What a counter has come to, with these labels. */
  total(name: string, labels: Labels = {}): number {
    return this.#counters.get(keyOf(name, labels)) ?? 0;
  }

  /** What a gauge shows now, with these labels; undefined: there is no such gauge. */
  value(name: string, labels: Labels = {}): number | undefined {
    for (const collect of this.#gauges.get(name) ?? []) collect();
    return this.#values.get(keyOf(name, labels));
  }
}

function keyOf(name: string, labels: Labels): string {
  return `${name} ${Object.values(labels).join(" ")}`;
}
