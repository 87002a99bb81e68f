import { describe, expect, jest, test } from "@jest/globals";
import {
  DEAD_LETTER_REASONS,
  DIVERT_REASONS,
  DROPS,
  isJsonObject,
  type JsonObject,
  OUTCOME_REASONS,
  PASSED_OVER_REASONS,
  REJECTION_CODES,
} from "#contract";
import { breakingChanges } from "./breaking-changes.ts";
import { currentDocument, releasedDocument } from "./document.ts";

const released = await currentDocument();

/** The document after a change to one of its objects, by the way to it. */
function changed(path: readonly string[], change: (object: Record<string, unknown>) => void): JsonObject {
  const document = structuredClone(released) as Record<string, unknown>;
  const target = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), document);
  if (!isJsonObject(target)) throw new Error(`the document has no ${path.join("/")}`);
  change(target as Record<string, unknown>);
  return document;
}

const schema = (name: string, ...path: string[]) => ["components", "schemas", name, ...path];
const PATHS = ["paths"];

// The first use builds the tool.
jest.setTimeout(300_000);

// What is judged by our levels, and a change of each kind that is judged by the tool's own.
describe("a change that breaks callers is named", () => {
  test.each<[string, readonly string[], (object: Record<string, unknown>) => void, RegExp]>([
    ["a route that is gone", PATHS, (paths) => delete paths["/v1/audit"], /GET \/v1\/audit: .*removed/],
    [
      "a parameter that is gone",
      [...PATHS, "/v1/dead-letters", "get"],
      (operation) => {
        operation["parameters"] = [];
      },
      /GET \/v1\/dead-letters: deleted .*destinationId/,
    ],
    [
      "a field of an answer that is gone",
      schema("Source", "properties"),
      (fields) => delete fields["writeKeys"],
      /GET \/v1\/sources\/\{id\}: removed .*writeKeys/,
    ],
    [
      "a field of a body that is not taken",
      schema("SourcePatch", "properties"),
      (fields) => delete fields["enabled"],
      /PATCH \/v1\/sources\/\{id\}: removed .*enabled/,
    ],
  ])("%s", (_what, path, change, text) => {
    expect(breakingChanges(released, changed(path, change)).join("\n")).toMatch(text);
  });
});

describe("a change that callers need not know of is not", () => {
  test("a further route, field, and value of an answer or a body", () => {
    const further = (path: readonly string[], change: (object: Record<string, unknown>) => void) =>
      breakingChanges(released, changed(path, change));
    const field = (fields: Record<string, unknown>) => {
      fields["more"] = { type: "string" };
    };
    expect(
      further(PATHS, (paths) => {
        paths["/v1/new"] = { get: { responses: {} } };
      }),
    ).toEqual([]);
    expect(further(schema("Source", "properties"), field)).toEqual([]);
    expect(further(schema("NewSource", "properties"), field)).toEqual([]);
    expect(
      further(schema("DeadLetterReason"), (reason) => {
        reason["enum"] = [...(reason["enum"] as string[]), "more"];
      }),
    ).toEqual([]);
  });

  test("the present document has none since the last release", () => {
    expect(breakingChanges(releasedDocument(), released)).toEqual([]);
  });
});

describe("the document", () => {
  test("names every request body, every JSON answer and every problem", () => {
    const inline = operations(released).flatMap(([name, { requestBody, responses }]) => {
      const whole = [requestBody, ...Object.values(responses as JsonObject)].filter(isJsonObject);
      return whole
        .flatMap((owner) => Object.entries(isJsonObject(owner["content"]) ? owner["content"] : {}))
        .filter(([type, media]) => type.endsWith("json") && !JSON.stringify(media).includes('"$ref"'))
        .map(([type]) => `${name} ${type}`);
    });
    expect(inline).toEqual([]);
    for (const [, { responses }] of operations(released))
      expect(Object.keys(responses as JsonObject).filter((status) => /X/.test(status))).toEqual([]);
  });

  test("has no union that only a look at the value tells apart, and no pattern of Unicode classes: generators refuse both", () => {
    const isRefused = (schema: JsonObject): boolean => {
      const forms = [schema["oneOf"], schema["anyOf"]].flatMap((union) =>
        Array.isArray(union) ? union : [],
      );
      const isUnion = forms.filter((form) => form.type !== "null").length > 1;
      return (isUnion && !("discriminator" in schema)) || /\\p\{/i.test(String(schema["pattern"]));
    };
    expect([...objectsIn(released)].filter(isRefused)).toEqual([]);
    const broken = changed(schema("NewSource", "properties", "id"), (id) => {
      id["pattern"] = "^\\P{Cc}*$";
    });
    expect([...objectsIn(broken)].filter(isRefused)).toHaveLength(1);
  });

  test("has the closed lists of reasons, whole", () => {
    const enumOf = (name: string) => schemaNamed(name)["enum"];
    expect(enumOf("DeadLetterReason")).toEqual(DEAD_LETTER_REASONS);
    expect(enumOf("RejectionCode")).toEqual(REJECTION_CODES);
    expect(enumOf("DropReason")).toEqual(Object.keys(DROPS));
    expect(enumOf("PassedOverReason")).toEqual(PASSED_OVER_REASONS);
    expect(enumOf("DivertReason")).toEqual(DIVERT_REASONS);
    expect(enumOf("OutcomeReason")).toEqual(OUTCOME_REASONS);
    expect(schemaNamed("DeadLetter")).toMatchObject({
      properties: { reason: { $ref: "#/components/schemas/DeadLetterReason" } },
    });
  });
});

describe("an example", () => {
  // That it is what its schema says is a rule of the linter (check.ts).
  test.each([
    ...["Source", "Destination", "Call", "DeadLetter", "WholeDeadLetter", "Replay", "Audience"],
    ...["NewSource", "NewDestination"],
  ])("is there of %s", (name) => {
    expect(schemaNamed(name)["examples"]).toHaveLength(1);
  });
});

function* objectsIn(value: unknown): Generator<JsonObject> {
  if (typeof value !== "object" || value === null) return;
  if (isJsonObject(value)) yield value;
  for (const each of Object.values(value)) yield* objectsIn(each);
}

function schemaNamed(name: string): JsonObject {
  const { schemas } = released["components"] as { schemas: Record<string, JsonObject> };
  return schemas[name] ?? {};
}

/** By name, as in "GET /v1/sources". */
function operations(document: JsonObject): [string, JsonObject][] {
  const paths = document["paths"] as Record<string, Record<string, JsonObject>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, JsonObject] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}
