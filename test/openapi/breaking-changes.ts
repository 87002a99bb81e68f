// What in an OpenAPI document breaks programs that were written for an earlier one. Answers may get fields and values, requests may get
// optional fields; nothing that was taken is refused, and nothing that was answered is gone.
import { isJsonObject, type JsonObject } from "#contract";
import { type Documents, schemaChanges } from "./schema-changes.ts";

/** One sentence for each. */
export function breakingChanges(released: JsonObject, current: JsonObject): string[] {
  const documents = { released, current };
  return Object.entries(objectAt(released, "paths")).flatMap(([path, methods]) =>
    Object.entries(isJsonObject(methods) ? methods : {}).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const now = objectAt(objectAt(current, "paths"), path)[method];
      if (!isJsonObject(now) || !isJsonObject(operation)) return [`${name} is gone`];
      return operationChanges({ released: operation, current: now }, documents).map(
        (change) => `${name}: ${change}`,
      );
    }),
  );
}

interface Both {
  readonly released: JsonObject;
  readonly current: JsonObject;
}

function operationChanges(operations: Both, documents: Documents): string[] {
  return [
    ...parameterChanges(operations, documents),
    ...bodyChanges(operations, documents),
    ...answerChanges(operations, documents),
  ];
}

function parameterChanges({ released, current }: Both, documents: Documents): string[] {
  const before = parametersOf(released);
  const after = parametersOf(current);
  const gone = [...before].flatMap(([name, parameter]) => {
    const now = after.get(name);
    if (now === undefined) return [`the parameter ${name} is gone`];
    const schemas = { released: parameter["schema"], current: now["schema"] };
    return schemaChanges(schemas, { ...documents, direction: "request", at: `the parameter ${name}` });
  });
  const required = [...after]
    .filter(
      ([name, { required: isRequired }]) => isRequired === true && before.get(name)?.["required"] !== true,
    )
    .map(([name]) => `the parameter ${name} is required now`);
  return [...gone, ...required];
}

function parametersOf({ parameters }: JsonObject): ReadonlyMap<string, JsonObject> {
  const list = Array.isArray(parameters) ? parameters.filter(isJsonObject) : [];
  return new Map(
    list.map((parameter) => [`${String(parameter["in"])} ${String(parameter["name"])}`, parameter]),
  );
}

function bodyChanges({ released, current }: Both, documents: Documents): string[] {
  const before = contentOf(released["requestBody"]);
  const after = contentOf(current["requestBody"]);
  if (before.length === 0 && after.length > 0 && objectAt(current, "requestBody")["required"] === true)
    return ["a body is required now"];
  return before.flatMap(([type, schema]) => {
    const now = after.find(([other]) => other === type);
    if (now === undefined) return [`a body of ${type} is not taken any more`];
    return schemaChanges(
      { released: schema, current: now[1] },
      { ...documents, direction: "request", at: "the body" },
    );
  });
}

/** Problems are told apart by their type, not by where they may come: only successes are compared. */
function answerChanges({ released, current }: Both, documents: Documents): string[] {
  const successes = Object.entries(objectAt(released, "responses")).filter(([status]) =>
    status.startsWith("2"),
  );
  return successes.flatMap(([status, answer]) => {
    const now = objectAt(current, "responses")[status];
    if (now === undefined) return [`the answer ${status} is gone`];
    return contentOf(answer).flatMap(([type, schema]) => {
      const present = contentOf(now).find(([other]) => other === type);
      if (present === undefined) return [`the answer ${status} is not ${type} any more`];
      return schemaChanges(
        { released: schema, current: present[1] },
        { ...documents, direction: "answer", at: `the answer ${status}` },
      );
    });
  });
}

function contentOf(owner: unknown): (readonly [string, unknown])[] {
  const content = isJsonObject(owner) ? objectAt(owner, "content") : {};
  return Object.entries(content).map(([type, media]) => [type, isJsonObject(media) ? media["schema"] : {}]);
}

function objectAt(owner: JsonObject, key: string): JsonObject {
  const value = owner[key];
  return isJsonObject(value) ? value : {};
}
