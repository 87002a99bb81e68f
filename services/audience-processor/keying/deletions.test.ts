import { expect, test } from "@jest/globals";
import type { TableListener } from "#kafka";
import type { Regulation } from "#topics";
import { whenDeleted } from "./deletions.ts";

test("a deletion is said once, when its users are on their way out", () => {
  const said: number[] = [];
  let change: TableListener<Regulation> = () => undefined;
  const onChange = (listener: typeof change) => {
    change = listener;
    return () => undefined;
  };
  whenDeleted({ onChange }, (deletedAtMs) => void said.push(deletedAtMs));
  const note = (fields: Partial<Regulation>) => {
    const base = { id: "a", regulationType: "SUPPRESS_WITH_DELETE", isStateDone: true, createdAtMs: 1 };
    const regulation = { ...base, ...fields } as Regulation;
    change(regulation.id, regulation, undefined);
  };
  note({ isStateDone: false });
  note({ id: "b", regulationType: "SUPPRESS_ONLY" });
  expect(said).toEqual([]);
  note({ deletedAtMs: 5 });
  note({ deletedAtMs: 5, sourcesDone: 1 });
  note({ id: "c", regulationType: "DELETE_ONLY" });
  expect(said).toEqual([5, 1]);
});
