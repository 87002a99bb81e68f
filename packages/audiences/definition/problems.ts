import { describeJson, isJsonObject, type JsonObject, type Problem } from "#contract";

/** Every wrong field of one definition (contract 10.1), as it is read. */
export class Problems {
  readonly #list: Problem[] = [];

  get list(): readonly Problem[] {
    return this.#list;
  }

  add(path: string, message: string): undefined {
    this.#list.push({ path, message });
    return undefined;
  }

  /** The value as an object; otherwise a problem. */
  object(value: unknown, path: string): JsonObject | undefined {
    return isJsonObject(value) ? value : this.add(path, `must be an object, is ${describeJson(value)}`);
  }

  /** A problem for each field that the object may not have. */
  refuseUnknown(object: JsonObject, known: readonly string[], path: string): void {
    for (const field of Object.keys(object)) {
      if (!known.includes(field))
        this.add(`${path}.${field}`, `is not known here; known are ${known.join(", ")}`);
    }
  }
}
