// Pages of the audit log over entries as the version before wrote them: whole things, of any size.
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { AuditEntry } from "#topics";
import { LOCAL_CALLER } from "../auth.ts";
import { createServer } from "../server.ts";
import type { AuditNote } from "./parts.ts";
import { addAuditRoute } from "./routes.ts";

const LARGE = 200_000;

async function stage(count: number) {
  const reads: number[] = [];
  const entries = Array.from(
    { length: count },
    (_, index): AuditEntry => ({
      id: `log_${String(index).padStart(12, "0")}`,
      atMs: index,
      token: "ops",
      requestId: null,
      action: "updated",
      resource: "source",
      resourceId: "s",
      before: JSON.stringify({ name: "x".repeat(LARGE), writeKeys: ["0123456789abcdef"] }),
      after: null,
      isMade: index > 0,
    }),
  );
  const notes = entries.map(
    ({ before, after, ...entry }, place): AuditNote => ({ ...entry, place, size: before?.length ?? 0 }),
  );
  const auditLog = {
    isLoaded: true,
    list: () => notes,
    refresh: async () => undefined,
    async read(wanted: readonly AuditNote[]) {
      reads.push(wanted.length);
      return new Map(wanted.flatMap(({ id, place }) => (entries[place] ? [[id, entries[place]]] : [])));
    },
  };
  const server = await createServer({
    authorise: () => ({ ...LOCAL_CALLER, name: "ops", scopes: ["read"] }),
    telemetry: { answered: () => undefined },
    logger: { error: () => undefined, warn: () => undefined } as never,
    newRequestId: () => "r",
    routes: [(app) => addAuditRoute(app, { auditLog, host: systemHost })],
  });
  const list = async (query: string) => (await server.inject({ url: `/v1/audit?${query}` })).json();
  return { list, reads };
}

test("a page ends before its answer is too large, and the next one goes on behind it", async () => {
  const { list, reads } = await stage(5);
  const seen: string[] = [];
  const made: boolean[] = [];
  let query = "limit=4";
  for (let pages = 1; pages <= 3; pages += 1) {
    const { data, next } = await list(query);
    seen.push(...data.map(({ id }: { id: string }) => id));
    made.push(...data.map(({ isMade }: { isMade: boolean }) => isMade));
    query = `limit=4&after=${next}`;
    if (next === null) break;
  }
  expect(reads).toEqual([2, 2, 1]);
  expect(made).toEqual([true, true, true, true, false]);
  expect(seen.map((id) => Number(id.slice(4)))).toEqual([4, 3, 2, 1, 0]);
});

test("write keys are masked in what the version before wrote, too", async () => {
  const { list } = await stage(1);
  const { data } = await list("limit=1");
  expect(data[0].before.writeKeys).toEqual(["0123********"]);
});
