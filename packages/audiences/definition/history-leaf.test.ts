// first, afterBreak and stopped: what they are made of, and what is refused.
import { expect, test } from "@jest/globals";
import { audienceDefinition } from "../fixtures/definitions.ts";
import { planLeaf } from "../leaves/plan.ts";
import { limitHistory } from "./limit-history.ts";
import { parseAudience } from "./parse-audience.ts";

const plansOf = (definition: unknown) =>
  [...audienceDefinition(definition).leaves.values()].flatMap((leaf) => {
    if (leaf.kind === "composite") return leaf.parts.map(planLeaf);
    return leaf.kind === "event" ? [planLeaf(leaf)] : [];
  });

test("the first and the last time are those of at least once, and known from a profile's counts by name", () => {
  const [ever, first, stopped] = plansOf({
    any: [{ event: "A" }, { event: "A", first: true, within: "30d" }, { event: "A", stopped: "30d" }],
  });
  expect([first, stopped]).toEqual([ever, ever]);
  expect(ever?.summaryKey).toBe("track A");
});

test("a break may have begun at any time before the window", () => {
  const definition = { event: "A", afterBreak: "90d", within: "7d" };
  expect(plansOf(definition)).toMatchObject([{ storage: "runs", lookBackMs: Number.POSITIVE_INFINITY }]);
  const config = {
    id: "a",
    generation: 1,
    createdAtMs: 100 * 86_400_000,
    backfill: { mode: "auto", days: 8 },
  } as const;
  expect(limitHistory(audienceDefinition(definition), config).fromMs).toBe(92 * 86_400_000);
});

const PASSING = { path: "properties.d", op: "within_last", value: "1d" };

test.each([
  [{ event: "A", first: true }, "definition", "needs within, between"],
  [{ event: "A", first: false, within: "1d" }, "definition.first", "must be true"],
  [
    { event: "A", first: true, within: "1d", where: [PASSING] },
    "definition.where",
    "cannot have within_last",
  ],
  [{ event: "A", first: true, stopped: "1d" }, "definition.stopped", "cannot stand beside first"],
  [{ event: "A", stopped: "1d", count: { op: "gte", value: 1 } }, "definition.count", "beside stopped"],
  [{ event: "A", stopped: "1d", within: "2d" }, "definition.within", "is not known here"],
  [{ event: "A", stopped: "30s" }, "definition.stopped", "from 60s to 400d"],
  [{ event: "A", afterBreak: "soon", within: "1d" }, "definition.afterBreak", "must be a duration"],
  [{ event: "A", afterBreak: "1d" }, "definition.within", "is needed"],
  [{ not: { event: "A", stopped: "1d" } }, "definition", "only excludes"],
])("%j is refused at %s", (definition, path, message) => {
  const reading = parseAudience(definition, { audiences: new Map() });
  expect(reading.ok ? [] : reading.problems).toEqual([{ path, message: expect.stringContaining(message) }]);
});
