// Audiences and computed traits over HTTP, on real Kafka.
import { describe, expect, test } from "@jest/globals";
import { problemFields, startControl } from "#support/control-service";
import { until } from "#support/until";
import { progressOf } from "./fixtures/progress.ts";
import { control, processor, useProcessor } from "./fixtures/use-processor.ts";

useProcessor();

const ORDERED = { event: "Order Completed", within: "30d", count: { op: "gte", value: 2 } };
const SPENT = { event: "Order Completed", reduce: { fn: "sum", path: "properties.total" } };
const AUDIENCES = "/v1/audiences";
const TRAITS = "/v1/computed-traits";

const make = (body: object, path = AUDIENCES) => control.ask(path, { body });
async function made(body: object, path = AUDIENCES) {
  const answer = await make(body, path);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
}
const patch = (id: string, body: object, path = AUDIENCES) =>
  control.ask(`${path}/${id}`, { method: "PATCH", body });
const remove = (id: string, query = "", path = AUDIENCES) =>
  control.ask(`${path}/${id}${query}`, { method: "DELETE" });
const read = async (id: string, path = AUDIENCES) => (await control.ask(`${path}/${id}`)).body;

describe("an audience (contract 10.8)", () => {
  test("is made with a key of its name, and prepared from the first moment on", async () => {
    const { status, headers, body } = await make({
      name: "Order Completed Last 30days",
      definition: ORDERED,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^aud_[0-9a-f]{16}$/),
      key: "order_completed_last_30days",
      name: "Order Completed Last 30days",
      kind: "audience",
      definition: ORDERED,
      includeAnonymous: false,
      backfill: null,
      generation: 1,
      status: "preparing",
      paused: false,
      progress: {
        ...{ partitionsDone: 0, partitions: 2, profilesDone: 0, profilesTotal: 0 },
        ...{ eventsDone: 0, eventsTotal: 0 },
        // Nothing is in the log.
        remainingSeconds: 0,
      },
      coverageFrom: null,
      partialHistory: false,
      incompleteProfiles: 0,
      members: 0,
      trackCalls: false,
      sendTraits: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: body.createdAt,
    });
    expect(headers.get("location")).toBe(`/v1/audiences/${body.id}`);
    expect(await read(body.id)).toEqual(body);
  });

  test("keeps what it was made with, and its record says so", async () => {
    const backfill = { mode: "auto", days: 90 };
    const definition = { all: [ORDERED, { trait: "plan", op: "in", value: ["pro", "team"] }] };
    const sending = { trackCalls: true, sendTraits: ["email"] };
    const body = { name: "Größe XL", key: "xl", definition, includeAnonymous: true, backfill, ...sending };
    expect(await made(body)).toMatchObject({ ...body, kind: "audience" });
  });

  test("that does not look back as far as its conditions do says since when calls count", async () => {
    const within = (window: string) => ({ ...ORDERED, within: window });
    const bounded = { definition: within("365d"), backfill: { mode: "auto", days: 90 } };
    const { coverageFrom, createdAt } = await made({ name: "Bounded", ...bounded });
    expect(Date.parse(createdAt) - Date.parse(coverageFrom)).toBe(90 * 86_400_000);
    const none = await made({ name: "From now on", definition: ORDERED, backfill: { mode: "none" } });
    expect(none.coverageFrom).toBe(none.createdAt);
    const whole = await made({ name: "Whole", ...bounded, definition: within("30d") });
    expect(whole.coverageFrom).toBeNull();
  });

  test("is refused when it shall look back and not", async () => {
    const backfill = { mode: "none", days: 3 };
    const answer = await make({ name: "Both", definition: ORDERED, backfill });
    expect([answer.status, Object.keys(problemFields(answer))]).toEqual([422, ["backfill.days"]]);
  });

  test("has a definition, or is said to be a list", async () => {
    const list = { name: "Newsletter", kind: "list" };
    expect(await made(list)).toMatchObject({ kind: "list", definition: null });
    expect(await made({ name: "Said to be one", kind: "audience", definition: ORDERED })).toMatchObject({
      kind: "audience",
    });
    const refusedFields = async (body: object) => problemFields(await make(body));
    expect(await refusedFields({ name: "Which?" })).toEqual({
      kind: 'must say "audience" (with a definition) or "list" (members are imported)',
    });
    expect(await refusedFields({ name: "Undefined", kind: "audience" })).toEqual({
      definition: "is required for an audience",
    });
    expect(await refusedFields({ ...list, name: "Defined", definition: ORDERED })).toEqual({
      definition: "cannot be given to a list, whose members are imported users",
    });
    expect(Object.keys(await refusedFields({ name: "Other", kind: "lists" }))).toEqual(["kind"]);
  });

  test("is refused with every wrong field at once", async () => {
    const definition = {
      all: [
        { event: "Order Completed", where: [{ path: "properties.total", op: "above", value: 1 }] },
        { trait: "plan", op: "eq" },
        { audience: "nobody_knows" },
      ],
    };
    const body = { name: "", key: "Not A Key", definition, includeAnonymous: "yes", more: 1 };
    const answer = await make(body);
    expect(answer.status).toBe(422);
    expect(Object.keys(problemFields(answer)).sort()).toEqual([
      "definition.all[0].where[0].op",
      "definition.all[1].value",
      "definition.all[2].audience",
      "includeAnonymous",
      "key",
      "more",
      "name",
    ]);
  });

  test.each([
    ["null", null],
    ["a text", "everyone"],
    ["a list", [ORDERED]],
    ["an empty object", {}],
  ])("%s is no definition", async (_what, definition) => {
    const answer = await make({ name: "No definition", definition });
    expect([answer.status, Object.keys(problemFields(answer))]).toEqual([422, ["definition"]]);
  });

  test("a list has neither anonymous members nor a past to look back on", async () => {
    const answer = await make({
      name: "Odd list",
      kind: "list",
      includeAnonymous: true,
      backfill: { mode: "auto" },
    });
    expect([answer.status, Object.keys(problemFields(answer)).sort()]).toEqual([
      422,
      ["backfill", "includeAnonymous"],
    ]);
  });
});

describe("keys (contract 8.4)", () => {
  test("audiences and computed traits share one space of keys", async () => {
    await made({ name: "Shared Key", definition: ORDERED });
    const asName = await make({ name: "shared key", definition: SPENT }, TRAITS);
    expect([asName.status, problemFields(asName)]).toEqual([
      422,
      { name: expect.stringContaining('"shared_key" is used') },
    ]);
    const asKey = await make({ name: "Another", kind: "list", key: "shared_key" });
    expect([asKey.status, Object.keys(problemFields(asKey))]).toEqual([422, ["key"]]);
  });

  test("that of a deleted one is never used again", async () => {
    const { id } = await made({ name: "Gone Key", definition: ORDERED });
    await remove(id);
    const again = await make({ name: "Gone Key", definition: ORDERED });
    expect([again.status, Object.keys(problemFields(again))]).toEqual([422, ["name"]]);
  });

  test("a name that makes none needs one", async () => {
    const answer = await make({ name: "日本", definition: ORDERED });
    expect(problemFields(answer)).toEqual({ name: expect.stringContaining("give a key") });
    expect(await made({ name: "日本", key: "japan", definition: ORDERED })).toMatchObject({ key: "japan" });
  });

  test("a name that makes too long a key needs one", async () => {
    const answer = await make({ name: "a ".repeat(60), definition: ORDERED });
    expect(problemFields(answer)).toEqual({ name: expect.stringContaining("100 characters") });
  });

  test("of two requests at once for one key one succeeds", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => make({ name: "At Once", definition: ORDERED })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  });

  test("another process that has used a key is seen", async () => {
    const { stack, prefix, keys } = control;
    const other = await startControl({ stack, prefix, keys });
    try {
      for (let turn = 0; turn < 5; turn += 1) {
        const body = { name: `Beside ${turn}`, definition: ORDERED };
        expect((await other.ask(AUDIENCES, { body })).status).toBe(201);
        expect((await make(body)).status).toBe(422);
      }
    } finally {
      await other.stop();
    }
  });
});

describe("a change", () => {
  test("of the name keeps the key and the generation", async () => {
    const before = await made({ name: "First Name", definition: ORDERED });
    const { status, body } = await patch(before.id, { name: "Second Name" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: "Second Name", updatedAt: body.updatedAt });
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
    expect(await read(before.id)).toEqual(body);
  });

  test("of the definition is another generation, the same definition again is none", async () => {
    const { id } = await made({ name: "Redefined", definition: ORDERED });
    expect((await patch(id, { definition: ORDERED })).body.generation).toBe(1);
    const definition = { ...ORDERED, within: "60d" };
    expect((await patch(id, { definition })).body).toMatchObject({ generation: 2, definition });
  });

  test("pauses and resumes", async () => {
    const { id } = await made({ name: "Paused", definition: ORDERED });
    expect((await patch(id, { paused: true })).body).toMatchObject({ paused: true, status: "paused" });
    expect((await patch(id, { paused: false })).body).toMatchObject({ paused: false, status: "preparing" });
  });

  test("that is refused changes nothing", async () => {
    const before = await made({ name: "Refused", definition: ORDERED });
    const definition = { ...ORDERED, within: "1s" };
    const answer = await patch(before.id, { name: "Other", definition, key: "other", paused: null });
    expect([answer.status, Object.keys(problemFields(answer)).sort()]).toEqual([
      422,
      ["definition.within", "key", "paused"],
    ]);
    expect((await patch(before.id, { definition: null })).status).toBe(422);
    expect(await read(before.id)).toEqual(before);
  });

  test("gives a list no definition", async () => {
    const { id } = await made({ name: "Fixed list", kind: "list" });
    const answer = await patch(id, { definition: ORDERED });
    expect([answer.status, Object.keys(problemFields(answer))]).toEqual([422, ["definition"]]);
  });

  test("of what is not there is 404, even when the body is wrong", async () => {
    expect((await patch("aud_none", { key: "x" })).status).toBe(404);
  });
});

describe("audiences that name audiences", () => {
  const naming = (key: string) => ({ all: [{ audience: key }] });

  test("never in a circle, be it through others", async () => {
    const first = await made({ name: "Circle 1", definition: ORDERED });
    await made({ name: "Circle 2", definition: naming("circle_1") });
    await made({ name: "Circle 3", definition: naming("circle_2") });
    const answer = await patch(first.id, { definition: { any: [ORDERED, { audience: "circle_3" }] } });
    expect([answer.status, problemFields(answer)]).toEqual([
      422,
      { "definition.any[1].audience": expect.stringContaining("leads back") },
    ]);
    const itself = await make({ name: "Itself", definition: naming("itself") });
    expect(Object.keys(problemFields(itself))).toEqual(["definition.all[0].audience"]);
  });

  test("four below one another, not five; also when one in the middle is changed", async () => {
    const ids: string[] = [];
    for (let depth = 0; depth <= 4; depth += 1) {
      const definition = depth === 0 ? ORDERED : naming(`depth_${depth - 1}`);
      ids.push((await made({ name: `Depth ${depth}`, definition })).id);
    }
    const deeper = await make({ name: "Depth 5", definition: naming("depth_4") });
    expect(Object.keys(problemFields(deeper))).toEqual(["definition.all[0].audience"]);
    await made({ name: "Depth below", definition: ORDERED });
    const lowest = await patch(ids[0] ?? "", { definition: naming("depth_below") });
    expect(Object.keys(problemFields(lowest))).toEqual(["definition.all[0].audience"]);
  });

  test("lists can be named, computed traits and deleted audiences cannot", async () => {
    await made({ name: "Named list", kind: "list" });
    await made({ name: "Named trait", definition: SPENT }, TRAITS);
    const { id } = await made({ name: "Named deleted", definition: ORDERED });
    await remove(id);
    await made({ name: "Names a list", definition: naming("named_list") });
    for (const key of ["named_trait", "named_deleted"])
      expect((await make({ name: "Names another", definition: naming(key) })).status).toBe(422);
  });

  test("keep those that they name", async () => {
    const { id } = await made({ name: "Kept", definition: ORDERED });
    const { id: naming1 } = await made({
      name: "Keeper",
      definition: { not: naming("kept"), everyone: true },
    });
    const refused = await remove(id);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain("keeper");
    expect((await read(id)).name).toBe("Kept");
    await remove(naming1);
    expect((await remove(id)).status).toBe(204);
  });

  test("keep computed traits that they name", async () => {
    const { id } = await made({ name: "Kept trait", definition: SPENT }, TRAITS);
    const definition = { computedTrait: "kept_trait", op: "gt", value: 1 };
    const { id: keeper } = await made({ name: "Trait keeper", definition });
    const refused = await control.ask(`${TRAITS}/${id}`, { method: "DELETE" });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("trait_keeper")]);
    await remove(keeper);
    expect((await control.ask(`${TRAITS}/${id}`, { method: "DELETE" })).status).toBe(204);
  });
});

describe("a deletion", () => {
  test("is silent by default, and then there is no such audience", async () => {
    const { id } = await made({ name: "Deleted", definition: ORDERED });
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect((await control.ask(`${AUDIENCES}/${id}`)).status).toBe(404);
    expect((await patch(id, { name: "x" })).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    expect((await control.ask(`${AUDIENCES}?key=deleted`)).body.data).toEqual([]);
  });

  test("with exitAll goes on after the answer", async () => {
    const { id } = await made({ name: "Deleted loudly", definition: ORDERED });
    expect((await remove(id, "?exitAll=true")).status).toBe(202);
    expect((await control.ask(`${AUDIENCES}/${id}`)).status).toBe(404);
    const { id: other } = await made({ name: "Not deleted", definition: ORDERED });
    const wrong = await remove(other, "?exitAll=perhaps");
    expect([wrong.status, Object.keys(problemFields(wrong))]).toEqual([422, ["exitAll"]]);
  });
});

describe("a computed trait (contract 8.2)", () => {
  test("is made, changed and deleted as an audience is", async () => {
    const body = await made({ name: "Total spent", definition: SPENT }, TRAITS);
    expect(body).toMatchObject({ key: "total_spent", definition: SPENT, generation: 1, status: "preparing" });
    expect(body.id).toMatch(/^trt_[0-9a-f]{16}$/);
    expect(Object.keys(body)).not.toContain("members");
    const definition = { ...SPENT, within: "30d" };
    const changed = await patch(body.id, { definition, name: "Spent" }, TRAITS);
    expect(changed.body).toMatchObject({ key: "total_spent", name: "Spent", definition, generation: 2 });
    expect((await remove(body.id, "?exitAll=true", TRAITS)).status).toBe(422);
    expect((await remove(body.id, "", TRAITS)).status).toBe(204);
    expect((await control.ask(`${TRAITS}/${body.id}`)).status).toBe(404);
  });

  test("is refused with every wrong field at once; a definition it must have", async () => {
    const wrong = { event: "Order Completed", reduce: { fn: "median", path: "" }, within: "1s" };
    const answer = await make({ name: "Wrong", definition: wrong }, TRAITS);
    expect(answer.status).toBe(422);
    expect(Object.keys(problemFields(answer))).toEqual(
      expect.arrayContaining(["definition.reduce.fn", "definition.within"]),
    );
    const without = await make({ name: "Without", includeAnonymous: true }, TRAITS);
    expect(Object.keys(problemFields(without)).sort()).toEqual(["definition", "includeAnonymous"]);
  });

  test("is no audience, and the other way round", async () => {
    const trait = await made({ name: "Only a trait", definition: SPENT }, TRAITS);
    const audience = await made({ name: "Only an audience", definition: ORDERED });
    expect((await control.ask(`${AUDIENCES}/${trait.id}`)).status).toBe(404);
    expect((await control.ask(`${TRAITS}/${audience.id}`)).status).toBe(404);
    expect((await remove(trait.id)).status).toBe(404);
  });
});

describe("the status", () => {
  test("follows what the partitions of the processor say", async () => {
    const { id } = await made({ name: "Followed", definition: ORDERED });
    const coverageFromMs = Date.parse("2026-01-31T00:00:00Z");
    const partial = { coverageFromMs, isPartial: true };
    await processor.report(
      progressOf(id, 0, { members: 3 }),
      progressOf(id, 1, {
        state: "preparing",
        profilesDone: 5,
        eventsDone: 70,
        eventsTotal: 100,
        members: 1,
        ...partial,
      }),
    );
    const seen = { timeoutMs: 30_000, what: "the progress to be seen" };
    await until(async () => (await read(id)).members === 4, seen);
    expect(await read(id)).toMatchObject({
      status: "preparing",
      progress: {
        ...{ partitionsDone: 1, partitions: 2, profilesDone: 15, profilesTotal: 20 },
        ...{ eventsDone: 70, eventsTotal: 100 },
        remainingSeconds: 1,
      },
      coverageFrom: "2026-01-31T00:00:00.000Z",
      partialHistory: true,
    });
    await processor.report(progressOf(id, 1, { members: 2, ...partial }));
    await until(async () => (await read(id)).status === "live", seen);
    expect(await read(id)).toMatchObject({ members: 5, progress: null });
    await patch(id, { definition: { ...ORDERED, within: "60d" } });
    expect(await read(id)).toMatchObject({ status: "preparing", members: 5, partialHistory: false });
    const [listed] = (await control.ask(`${AUDIENCES}?key=followed&status=preparing`)).body.data;
    expect(listed.id).toBe(id);
    expect((await control.ask(`${AUDIENCES}?key=followed&status=live`)).body.data).toEqual([]);
  });
});

describe("lists (contract 10.1)", () => {
  test("are in pages, oldest first, each of its own resource", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1)
      ids.push((await made({ name: `Listed trait ${index}`, definition: SPENT }, TRAITS)).id);
    const seen: string[] = [];
    for (let query = "?limit=2"; query !== ""; ) {
      const { data, next } = (await control.ask(`${TRAITS}${query}`)).body;
      seen.push(...data.map(({ id }: { id: string }) => id));
      query = next === null ? "" : `?limit=2&after=${next}`;
    }
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    expect(seen.every((id) => id.startsWith("trt_"))).toBe(true);
  });

  test("are filtered by kind", async () => {
    const { id } = await made({ name: "Filtered list", kind: "list" });
    const { data } = (await control.ask(`${AUDIENCES}?kind=list&limit=200`)).body;
    expect(data.map((one: { kind: string }) => one.kind)).toContain("list");
    expect(new Set(data.map((one: { kind: string }) => one.kind))).toEqual(new Set(["list"]));
    expect(data.at(-1).id).toBe(id);
    const wrong = await control.ask(`${AUDIENCES}?kind=trait&state=live`);
    expect(Object.keys(problemFields(wrong)).sort()).toEqual(["kind", "state"]);
  });
});

test("after a start everything is as it was", async () => {
  const before = await made({ name: "Durable", definition: ORDERED });
  const { stack, prefix, keys } = control;
  const other = await startControl({ stack, prefix, keys });
  try {
    expect((await other.ask(`${AUDIENCES}/${before.id}`)).body).toEqual(before);
    const metrics = await other.metrics();
    expect(metrics).toMatch(/hookline_control_configured\{resource="computed_trait"\} [1-9]/);
  } finally {
    await other.stop();
  }
});
