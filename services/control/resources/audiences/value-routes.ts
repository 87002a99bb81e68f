// GET /v1/computed-traits/{id}/values and values.csv.
import { Readable } from "node:stream";
import type { Subject } from "#audiences";
import { CsvQuery, writeText } from "../../http/csv.ts";
import { IdParams } from "../../http/fields.ts";
import { DEFAULT_LIMIT } from "../../http/pages.ts";
import type { ControlApp } from "../../http/server.ts";
import { askedProfile } from "./asked-profile.ts";
import { type MemberParts, untilRead } from "./member-parts.ts";
import { namedBy } from "./references.ts";
import { existing } from "./resource.ts";
import { ValuesAnswer, ValuesExport, ValuesQuery } from "./value-schemas.ts";
import { valueOfOne, valuesCsv, valuesPage } from "./values.ts";

const TAGS = ["computed traits"];

export function addValueRoutes(app: ControlApp, parts: MemberParts): void {
  app.get(
    "/v1/computed-traits/:id/values",
    {
      schema: {
        tags: TAGS,
        operationId: "getValues",
        summary: "The values of a computed trait, or that of one user or account",
        params: IdParams,
        querystring: ValuesQuery,
        response: { 200: ValuesAnswer },
      },
    },
    async ({ params, query: { after, limit = DEFAULT_LIMIT, ...asked } }) => {
      const { id, of } = await readable(parts, params.id);
      const profileId = askedProfile(asked, of);
      if (profileId !== undefined)
        return { kind: "value" as const, ...(await valueOfOne(parts, id, profileId)) };
      return { kind: "values" as const, ...(await valuesPage(parts, id, { after, limit })) };
    },
  );
  app.get(
    "/v1/computed-traits/:id/values.csv",
    {
      schema: {
        tags: TAGS,
        operationId: "exportValues",
        summary: "All values of a computed trait, as CSV",
        params: IdParams,
        querystring: CsvQuery,
        produces: ["text/csv"],
        response: { 200: ValuesExport },
      },
    },
    async ({ params, query }, reply) => {
      const rows = valuesCsv(parts, await readable(parts, params.id), writeText(query));
      return await reply.type("text/csv; charset=utf-8").send(Readable.from(rows));
    },
  );
}

/** Rejects with a 404, and with a 503 while the profiles are being read. */
async function readable(
  parts: MemberParts,
  id: string,
): Promise<{ readonly id: string; readonly of: Subject }> {
  const { of } = namedBy(existing(parts, "computed_trait", id));
  await untilRead(parts);
  return { id, of };
}
