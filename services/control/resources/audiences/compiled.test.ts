// Audiences that name audiences: what one request reads is as much as all of them, in pieces.
import { expect, test } from "@jest/globals";
import { createAudience, deleteAudience, forgetAudience } from "./audience.ts";
import { accountsFromMs, compiledWithReferences } from "./compiled.ts";
import { referrersOf } from "./references.ts";
import { previewProblems } from "./rules.ts";

const audience = (key: string, definition: object) =>
  createAudience({ id: `id_${key}`, resource: "audience", key, name: key, definition } as never, 1);
const named = (keys: readonly string[]) => ({ any: keys.map((key) => ({ audience: key })) });

test("a pause is offered before the first definition that is read, and after each", async () => {
  const leaf = { trait: "a", op: "exists" };
  const configs = [audience("a", leaf), audience("b", named(["a"])), audience("other", leaf)];
  let pauses = 0;
  const set = await compiledWithReferences(audience("asked", named(["a", "b"])), configs, () => {
    pauses += 1;
    return undefined;
  });
  expect([...set.computations.keys()].toSorted()).toEqual(["id_a", "id_asked", "id_b"]);
  expect(pauses).toBe(4);
});

test("a definition that names fifty, which name the same fifty, four deep, is checked in some milliseconds", () => {
  const many = Array.from({ length: 50 }, (_, index) => index);
  const names = (level: number) => many.map((index) => `l${level}_${index}`);
  const configs = [
    ...names(4).map((key) => audience(key, { trait: key, op: "exists" })),
    ...[3, 2, 1].flatMap((level) => names(level).map((key) => audience(key, named(names(level + 1))))),
  ];
  previewProblems({ definition: named(["l4_0"]) }, configs);
  // The least of three: a collection or a neighbour on the core makes one of them dearer, not all.
  const spentMs = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    expect(previewProblems({ definition: named(names(1)) }, configs)).toEqual([]);
    return process.threadCpuUsage(before).user / 1_000;
  });
  expect(Math.min(...spentMs)).toBeLessThan(50);
  const deeper = previewProblems({ definition: named(["l1_0", "l0"]) }, [
    ...configs,
    audience("l0", named(names(1))),
  ]);
  expect(deeper).toEqual([
    { path: "definition.any[1].audience", message: "nests more than 4 audiences in each other" },
  ]);
});

const trait = (key: string, fn: string) =>
  createAudience(
    {
      id: `id_${key}`,
      resource: "computed_trait",
      key,
      name: key,
      definition: { event: "A", reduce: { fn } },
    } as never,
    1,
  );

test("a computed trait is compiled with the audience that names it, and known by who names it", async () => {
  const configs = [trait("orders", "count"), trait("other", "count")];
  const asked = audience("asked", { not: { computedTrait: "orders", op: "lt", value: 2 } });
  const set = await compiledWithReferences(asked, configs, () => undefined);
  expect([...set.computations.keys()].toSorted()).toEqual(["id_asked", "id_orders"]);
  expect(referrersOf("orders", [...configs, asked])).toEqual(["asked"]);
  expect(previewProblems({ definition: { computedTrait: "orders", op: "lt", value: 2 } }, configs)).toEqual([
    { path: "definition", message: expect.stringContaining("only excludes") },
  ]);
});

test("accounts are known since the first definition of accounts, also when that one is forgotten", () => {
  const of = { of: "accounts", everyone: true };
  const forgotten = forgetAudience(deleteAudience(audience("first", of), true, 2), 3);
  expect(forgotten).toMatchObject({ kind: "list", name: "", definition: JSON.stringify(of) });
  const definition = { of: "accounts", event: "A" };
  const later = createAudience(
    { id: "later", resource: "audience", key: "later", name: "", definition },
    9_000_000,
  );
  expect(accountsFromMs(later, [forgotten, later], 9_000_000)).toBe(1_001);
});
