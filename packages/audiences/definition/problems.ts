import { describeJson, didYouMean, isJsonObject, type JsonObject, type Problem } from "#contract";
import { MAX_LEAVES, MAX_READ_LEAVES } from "./limits.ts";

/** More than an answer names: what is beyond is not looked for, as a body may have a hundred thousand. */
const MAX_PROBLEMS = 200;

/** Every wrong field of one definition (contract 10.1), as it is read. */
export class Problems {
  readonly #list: Problem[] = [];

  get list(): readonly Problem[] {
    return this.#list;
  }

  /** No further ones are noted: reading may end. */
  get isFull(): boolean {
    return this.#list.length >= MAX_PROBLEMS;
  }

  add(path: string, message: string): undefined {
    if (!this.isFull) this.#list.push({ path, message });
    return undefined;
  }

  /** `count` ends one above what is read. */
  checkLeafCount(count: number, path: string): void {
    const shown = count > MAX_READ_LEAVES ? `more than ${MAX_READ_LEAVES}` : count;
    if (count > MAX_LEAVES) this.add(path, `has ${shown} conditions, at most ${MAX_LEAVES} are allowed`);
  }

  /** The value as an object; otherwise a problem. */
  object(value: unknown, path: string): JsonObject | undefined {
    return isJsonObject(value) ? value : this.add(path, `must be an object, is ${describeJson(value)}`);
  }

  /** A problem for each field that the object may not have. */
  refuseUnknown(object: JsonObject, known: readonly string[], path: string): void {
    for (const field of Object.keys(object)) {
      if (this.isFull) return;
      if (!known.includes(field))
        this.add(
          `${path}.${field}`,
          `is not known here; known are ${known.join(", ")}${didYouMean(field, known)}`,
        );
    }
  }
}
