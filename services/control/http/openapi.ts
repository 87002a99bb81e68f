import type { SwaggerOptions } from "@fastify/swagger";
import { Type } from "typebox";
import { PROBLEM_CONTENT_TYPE } from "./problem.ts";

/** The document is made from the route schemas; this is what they do not say. */
export function openApiOptions(): SwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Hookline control API",
        version: "1",
        description:
          "Sources, destinations, test calls, what became of deliveries, dead letters and replays, deletions. A 2xx on a change is sent only after Kafka has acknowledged it.",
      },
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "A token of HOOKLINE_API_TOKENS." },
        },
      },
      security: [{ bearer: [] }],
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema["$id"] ?? `schema${index}`),
    },
  };
}

const problem = {
  description: "What is wrong, as RFC 9457 problem details.",
  content: { [PROBLEM_CONTENT_TYPE]: { schema: Type.Unsafe({ $ref: "Problem#" }) } },
};

/** The answers that every route may give beside its own. */
export const problemResponses = { "4xx": problem, "5xx": problem };
