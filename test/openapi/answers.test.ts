// Answers of a real control API, held against its own document: the status is one that the operation has, and the body is of that status's schema.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "#contract";
import { attempt, deadLetter, total } from "#support/records";
import { until } from "#support/until";
import { control, useControl } from "#support/use-control";
import { openTopics, type TopicClient } from "../../services/control/deliveries/fixtures/deliveries.ts";

const PATIENCE_MS = 60_000;

let topics: TopicClient;
let document: JsonObject;
let ajv: Ajv2020;
let sourceId: string;
let destinationId: string;
/** By operation, as in "GET /v1/sources", the statuses that were held against the document. */
const held = new Map<string, Set<number>>();

useControl({}, async (started) => {
  topics = await openTopics(started);
  return topics;
});
beforeAll(async () => {
  ({ body: document } = await control.ask("/openapi.json"));
  ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: {
      uri: (text: string) => URL.canParse(text),
      "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z$/,
    },
  });
  ajv.addSchema(document, "document");
  sourceId = (await control.ask("/v1/sources", { body: { name: "Shop", labels: { team: "growth" } } })).body
    .id;
  const webhooks = [{ url: "http://127.0.0.1:9/", headers: { "x-key": "secret" } }];
  const body = { name: "Hook", sourceIds: [sourceId], webhooks, enabled: true, filter: { event: "A" } };
  destinationId = (await control.ask("/v1/destinations", { body })).body.id;
  const { deadLetters, deliveryAttempts, deliveryTotals } = control.topics;
  const minuteMs = Math.floor(Date.now() / 60_000) * 60_000;
  await topics.write(deliveryAttempts, [attempt({ destinationId, sourceId, startedAtMs: Date.now() })]);
  await topics.write(deliveryTotals, [total({ destinationId, minuteMs })]);
  await topics.write(deadLetters, [
    deadLetter({ id: "dl-1", destinationId, sourceId, deadAtMs: Date.now() }),
  ]);
  await until(async () => (await control.ask("/v1/dead-letters/dl-1")).status === 200, {
    timeoutMs: PATIENCE_MS,
    what: "the dead letter to be indexed",
  });
}, 180_000);

const segment = (text: string) => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The schema at this place of the document. */
function validator(...place: readonly string[]): ValidateFunction {
  return ajv.compile({ $ref: `document#/${place.map(segment).join("/")}` });
}

function at(...place: readonly string[]): JsonObject | undefined {
  const found = place.reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], document);
  return found as JsonObject | undefined;
}

/** Where the document has this answer: in its operation, or under a name. */
function placeOf(template: string, method: string, status: number): readonly string[] {
  const own = ["paths", template, method.toLowerCase(), "responses", String(status)];
  const reference = at(...own)?.["$ref"];
  return typeof reference === "string" ? reference.replace("#/", "").split("/") : own;
}

interface Request {
  readonly body?: unknown;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks, holds the answer against the document, and gives its body. `operation` is as in "GET /v1/sources/{id}"; ids stand for its braces. */
async function ask(operation: string, ids: readonly string[] = [], request: Request = {}) {
  const [method = "", template = ""] = operation.split(" ");
  let index = 0;
  const path = template.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(ids[index++] ?? "none"));
  const { query = "", ...rest } = request;
  const { body, headers, status, text } = await control.ask(`${path}${query}`, { method, ...rest });
  const place = placeOf(template, method, status);
  const answer = at(...place);
  const wrong = (what: string) => new Error(`${operation}: ${status} ${what}: ${text.slice(0, 500)}`);
  if (answer === undefined) throw wrong("is not in the document");
  held.set(operation, (held.get(operation) ?? new Set()).add(status));
  const content = answer["content"] as JsonObject | undefined;
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (content === undefined || status === 204) {
    if (text !== "") throw wrong("has a body that the document does not have");
    return body;
  }
  if (content[type] === undefined)
    throw wrong(`is ${type}, and the document has ${Object.keys(content).join()}`);
  const validate = validator(...place, "content", type, "schema");
  if (type.endsWith("json") && !validate(body)) throw wrong(ajv.errorsText(validate.errors));
  return body;
}

describe("answers are what the document says", () => {
  test("of sources", async () => {
    const { id } = await ask("POST /v1/sources", [], { body: { name: "Blog" } });
    await ask("POST /v1/sources", [], { body: { name: "Blog", id } });
    await ask("POST /v1/sources", [], { body: { nam: "Blog" } });
    await ask("GET /v1/sources", [], { query: "?limit=1" });
    await ask("GET /v1/sources/{id}", [id]);
    await ask("PATCH /v1/sources/{id}", [id], { body: { labels: { env: "test" } } });
    await ask("PATCH /v1/sources/{id}", [id], { body: {}, headers: { "if-match": '"other"' } });
    const { writeKeys } = await ask("POST /v1/sources/{id}/write-keys", [id]);
    await ask("DELETE /v1/sources/{id}/write-keys/{key}", [id, writeKeys[0]]);
    await ask("DELETE /v1/sources/{id}/write-keys/{key}", [id, writeKeys[1]]);
    await ask("DELETE /v1/sources/{id}", [sourceId]);
    await ask("DELETE /v1/sources/{id}", [id]);
  });

  test("of destinations", async () => {
    const webhooks = [{ url: "https://10.0.0.1/" }];
    const { id } = await ask("POST /v1/destinations", [], { body: { name: "D", sourceIds: [], webhooks } });
    await ask("POST /v1/destinations", [], { body: { name: "D", sourceIds: ["none"], webhooks } });
    await ask("GET /v1/destinations");
    await ask("GET /v1/destinations", [], { query: "?sourceId=none" });
    await ask("GET /v1/destinations/{id}", [destinationId]);
    const changes = { retryDelays: ["1m", "2h"], retryWindow: "1d", disableAfter: "2h", events: ["A"] };
    await ask("PATCH /v1/destinations/{id}", [id], { body: changes });
    await ask("POST /v1/destinations/{id}/test", [destinationId]);
    await ask("POST /v1/destinations/{id}/pause", [destinationId], { body: { callsWaitFor: "1h" } });
    await ask("POST /v1/destinations/{id}/pause", [destinationId], { body: { dryRun: true } });
    await ask("POST /v1/destinations/{id}/retry", [destinationId]);
    await ask("POST /v1/destinations/{id}/resume", [destinationId], { body: { dryRun: true } });
    await ask("POST /v1/destinations/{id}/resume", [destinationId]);
    await ask("POST /v1/destinations/{id}/retry", [destinationId], { body: { dryRun: true } });
    await ask("POST /v1/destinations/{id}/resume", [destinationId]);
    await ask("POST /v1/destinations/{id}/retry", [destinationId]);
    await ask("GET /v1/destinations/{id}/waiting", [destinationId]);
    await ask("DELETE /v1/destinations/{id}", [id]);
  });

  test("of what became of calls", async () => {
    await ask("GET /v1/destinations/{id}/attempts", [destinationId], { query: "?outcome=failed" });
    await ask("GET /v1/destinations/{id}/attempts", [destinationId], { query: "?outcome=odd" });
    await ask("GET /v1/destinations/{id}/stats", [destinationId]);
    await ask("GET /v1/destinations/{id}/stats", [destinationId], { query: "?step=hour" });
    await ask("GET /v1/stats", [], { query: "?step=day" });
    await ask("GET /v1/stats", [], { query: "?step=week" });
    for (const groupBy of ["eventType", "eventName", "reason", "webhook", "status"]) {
      await ask("GET /v1/sources/{id}/stats", [sourceId], { query: `?groupBy=${groupBy}` });
      await ask("GET /v1/destinations/{id}/stats", [destinationId], { query: `?groupBy=${groupBy}` });
    }
    await ask("GET /v1/flow", []);
    await ask("GET /v1/calls/{messageId}", ["m1"]);
    await ask("GET /v1/calls/{messageId}/destinations/{destinationId}", ["m1", destinationId]);
    await ask("POST /v1/filters/test", [], { body: { sourceId, filter: { event: "A" } } });
    await ask("GET /v1/dead-letters", [], { query: `?destinationId=${destinationId}` });
    await ask("GET /v1/dead-letters", [], { query: "?replayId=none" });
    const { issueIds } = await ask("GET /v1/dead-letters/{id}", ["dl-1"]);
    await ask("GET /v1/issues", [], { query: `?destinationId=${destinationId}&state=open` });
    await ask("GET /v1/issues", [], { query: "?destinationId=none" });
    await ask("GET /v1/issues/{id}", issueIds);
    await ask("PATCH /v1/issues/{id}", issueIds, { body: { state: "acknowledged" } });
    await ask("PATCH /v1/issues/{id}", issueIds, { body: { state: "snoozed" } });
    const { replayId } = await ask("POST /v1/dead-letters/replay", [], { body: { ids: ["dl-1"] } });
    const dryRun = true;
    await ask("POST /v1/dead-letters/replay", [], { body: { destinationId, dryRun } });
    await ask("POST /v1/replays", [], { body: { destinationId, dryRun } });
    await ask("POST /v1/sources/{id}/replays", [sourceId], { body: { dryRun } });
    await ask("POST /v1/dead-letters/replay", [], { body: { ids: ["none"] } });
    await ask("POST /v1/replays", [], { body: { destinationId, which: "all" } });
    await ask("POST /v1/replays", [], { body: { destinationId: "none" } });
    await ask("POST /v1/sources/{id}/replays", [sourceId]);
    await ask("GET /v1/replays");
    await ask("GET /v1/replays/{id}", [replayId]);
    await ask("DELETE /v1/replays/{id}", [replayId]);
    await ask("GET /v1/reasons");
    await ask("GET /v1/info");
    await ask("GET /v1/tokens");
  });

  test("of who asks", async () => {
    await ask("GET /v1/me");
    await ask("POST /v1/session");
    await ask("POST /v1/sources/{id}/live/ticket", [sourceId]);
    await ask("POST /v1/destinations/{id}/live/ticket", [destinationId]);
    await ask("DELETE /v1/session");
  });

  test("of regulations, audiences, computed traits and the audit log", async () => {
    const regulation = {
      regulationType: "SUPPRESS_ONLY",
      subjectType: "USER_ID",
      subjectIds: ["u1"],
      sourceId,
    };
    const { id: regulationId } = await ask("POST /v1/regulations", [], { body: regulation });
    await ask("GET /v1/regulations", [], { query: `?sourceId=${sourceId}` });
    await ask("GET /v1/regulations/{id}", [regulationId]);
    const definition = { event: "A", within: "30d" };
    const { id } = await ask("POST /v1/audiences", [], { body: { name: "Buyers", definition } });
    await ask("POST /v1/audiences", [], { body: { name: "Buyers", definition: {} } });
    await ask("GET /v1/audiences");
    await ask("GET /v1/audiences/{id}", [id]);
    await ask("PATCH /v1/audiences/{id}", [id], { body: { paused: true } });
    await ask("GET /v1/audiences/{id}/members", [id]);
    await ask("GET /v1/profiles/{id}", ["u1"]);
    await ask("POST /v1/audiences/preview", [], { body: { definition } });
    await ask("DELETE /v1/audiences/{id}", [id]);
    const sum = { ...definition, reduce: { fn: "sum", path: "properties.total" } };
    await ask("POST /v1/computed-traits/preview", [], { body: { definition: sum } });
    const trait = await ask("POST /v1/computed-traits", [], { body: { name: "Spent", definition: sum } });
    const spenders = { computedTrait: "spent", op: "gt", value: 1 };
    const naming = await ask("POST /v1/audiences", [], { body: { name: "Spenders", definition: spenders } });
    await ask("DELETE /v1/computed-traits/{id}", [trait.id]);
    await ask("DELETE /v1/audiences/{id}", [naming.id]);
    await ask("DELETE /v1/computed-traits/{id}", [trait.id]);
    await ask("GET /v1/computed-traits");
    await ask("GET /v1/audit");
  });

  test("of what is not there", async () => {
    const single = Object.entries(at("paths") ?? {}).filter(([path]) => path.includes("{"));
    for (const [path, methods] of single)
      for (const method of Object.keys(methods as JsonObject).filter((each) => each !== "put"))
        await ask(`${method.toUpperCase()} ${path}`, [], method === "patch" ? { body: {} } : {});
  }, 180_000);

  test("and every route that changes something has answered with success", () => {
    const changing = Object.entries(at("paths") ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods as JsonObject)
        .filter((method) => method !== "get")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const without = changing.filter(
      (operation) => ![...(held.get(operation) ?? [])].some((status) => status < 300),
    );
    // A replay of one call may have ended before it is cancelled; uploads, sessions and tickets have tests of their own; computed traits share their routes with audiences.
    expect(without.filter((operation) => operation !== "DELETE /v1/replays/{id}").toSorted()).toEqual([
      "PATCH /v1/computed-traits/{id}",
      "POST /v1/audiences/{id}/imports/{importId}/confirm",
      "POST /v1/destinations/{id}/live/ticket",
      "POST /v1/session",
      "POST /v1/sources/{id}/live/ticket",
      "PUT /v1/audiences/{id}/members/{importId}",
    ]);
  });
});
