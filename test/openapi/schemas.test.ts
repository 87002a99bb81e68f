// Control compiles the schemas of a route at its first request: one that cannot be compiled would be found there.
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import { expect, test } from "@jest/globals";
import type { RouteOptions } from "fastify";
import { createValidatorCompiler } from "../../services/control/http/validation.ts";
import { serverWithoutParts } from "./document.ts";

const HTTP_PARTS = ["body", "querystring", "params"] as const;

/** Of a body or an answer; one for each type of content where it names them. */
function schemasOf(part: unknown): object[] {
  if (typeof part !== "object" || part === null) return [];
  if (!("content" in part)) return [part];
  return Object.values(part.content as Record<string, { schema: object }>).map(({ schema }) => schema);
}

test("every schema of a route can be compiled", async () => {
  const routes: RouteOptions[] = [];
  const server = await serverWithoutParts((app) =>
    app.addHook("onRoute", (route) => void routes.push(route)),
  );
  const compile = createValidatorCompiler();
  const serializer = SerializerSelector()(server.getSchemas());
  const counts = { checked: 0, answered: 0 };
  for (const route of routes) {
    const { method, url } = route;
    for (const httpPart of HTTP_PARTS)
      for (const schema of schemasOf(route.schema?.[httpPart])) {
        expect(typeof compile({ schema, httpPart, method: String(method), url })(undefined)).toBe("boolean");
        counts.checked += 1;
      }
    for (const schema of Object.values(route.schema?.response ?? {}).flatMap(schemasOf)) {
      expect(serializer({ schema, method: String(method), url, httpStatus: "200" })).toBeInstanceOf(Function);
      counts.answered += 1;
    }
  }
  await server.close();
  expect(counts.checked).toBeGreaterThan(routes.length);
  expect(counts.answered).toBeGreaterThan(routes.length);
});
