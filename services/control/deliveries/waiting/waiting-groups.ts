// What waiting calls are counted by, each as one small number.
import type { DeliveryJob } from "#topics";
import { floorTo, STEP_MS } from "../index/eras.ts";

/** Calls that count alike. */
export interface WaitingGroup extends Pick<DeliveryJob, "sourceId" | "destinationId" | "type"> {
  /** Start of the minute in which they were accepted. */
  readonly minuteMs: number;
}

interface Held {
  readonly key: string;
  readonly group: WaitingGroup;
  records: number;
}

/** The group of a record that is kept and counts as nothing. */
export const NO_GROUP = 0;

export class WaitingGroups {
  readonly #numbers = new Map<string, number>();
  readonly #held: (Held | undefined)[] = [undefined];
  readonly #free: number[] = [];

  of(number: number): WaitingGroup | undefined {
    return this.#held[number]?.group;
  }

  /** For one record more. */
  take({ destinationId, receivedAtMs, sourceId, type }: GroupedJob): number {
    const minuteMs = floorTo(receivedAtMs, STEP_MS.minute);
    const key = `${minuteMs} ${type} ${sourceId} ${destinationId}`;
    const number = this.#numbers.get(key) ?? this.#free.pop() ?? this.#held.length;
    const held = this.#held[number];
    if (held === undefined) {
      this.#numbers.set(key, number);
      this.#held[number] = { key, group: { sourceId, destinationId, type, minuteMs }, records: 1 };
    } else held.records += 1;
    return number;
  }

  /** A record of it is not kept any more. */
  drop(number: number): void {
    const held = this.#held[number];
    if (held === undefined) return;
    held.records -= 1;
    if (held.records > 0) return;
    this.#numbers.delete(held.key);
    this.#held[number] = undefined;
    this.#free.push(number);
  }
}

type GroupedJob = Pick<DeliveryJob, "sourceId" | "destinationId" | "type" | "receivedAtMs">;
