// The HTTP side of the API, whatever its routes: who may use it, how bodies are read, how problems are answered.

import type { IncomingMessage, ServerResponse } from "node:http";
import swagger from "@fastify/swagger";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  fastify,
  type RawServerDefault,
} from "fastify";
import type { Logger } from "#runtime";
import type { Telemetry } from "../telemetry.ts";
import type { Authorise } from "./auth.ts";
import { openApiOptions } from "./openapi.ts";
import { PROBLEM_CONTENT_TYPE, ProblemError, ProblemSchema, problemBody } from "./problem.ts";
import { toProblem } from "./to-problem.ts";
import { createValidatorCompiler } from "./validation.ts";

export type ControlApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface ServerOptions {
  readonly authorise: Authorise;
  readonly telemetry: Pick<Telemetry, "answered">;
  readonly logger: Logger;
  /** Adds the routes; each section of the API brings its own. */
  readonly routes: readonly ((app: ControlApp) => void)[];
}

/** Five webhooks with all their headers fit, and so does a call. */
const MAX_BODY_BYTES = 512 * 1024;
/** An upload of a million rows over a slow line fits. */
const REQUEST_TIMEOUT_MS = 600_000;
const RETRY_AFTER_SECONDS = 5;
/** People and their programs need a few; whoever opens more cannot take the process's files and memory. */
const MAX_CONNECTIONS = 500;

export async function createServer(options: ServerOptions): Promise<ControlApp> {
  const app: ControlApp = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toProblem(error)),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = MAX_CONNECTIONS;
  app.setValidatorCompiler(createValidatorCompiler());
  acceptJsonOnly(app);
  addHooks(app, options);
  answerProblems(app, options.logger);
  app.addSchema(ProblemSchema);
  await app.register(swagger, openApiOptions());
  app.after(() => {
    for (const addRoutes of options.routes) addRoutes(app);
    app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  });
  await app.ready();
  return app;
}

/**
 * A type that a browser's form can send would let a page of any origin change the configuration of a service without
 * tokens. An empty body is no body, whatever its type says.
 */
function acceptJsonOnly(app: ControlApp): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  const types = ["application/json", "application/merge-patch+json"];
  app.addContentTypeParser<string>(types, { parseAs: "string" }, (request, body, done) => {
    if (body.trim() === "") done(null, undefined);
    else void parseJson(request, body, done);
  });
}

function addHooks(app: ControlApp, { authorise, telemetry }: ServerOptions): void {
  app.addHook("onRequest", async ({ headers }) => {
    const { authorization, host, origin } = headers;
    authorise({ authorization, host, origin, fetchSite: headers["sec-fetch-site"] });
  });
  app.addHook("onResponse", async (_request, reply) => {
    telemetry.answered(reply.statusCode, reply.elapsedTime);
  });
}

function answerProblems(app: ControlApp, logger: Logger): void {
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0];
    return sendProblem(reply, new ProblemError("not_found", `there is no ${request.method} ${path}`));
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    // The route's pattern, not the URL: a write key is part of one.
    const facts = { method: request.method, route: request.routeOptions.url, err: error };
    if (problem.kind === "failed") logger.error(facts, "request failed");
    if (problem.kind === "unavailable") logger.warn(facts, "request refused: Kafka does not answer");
    return sendProblem(reply, problem);
  });
}

function sendProblem(reply: FastifyReply, problem: ProblemError): FastifyReply {
  const body = problemBody(problem);
  if (problem.kind === "unauthorized") reply.header("www-authenticate", "Bearer");
  if (problem.kind === "unavailable") reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  // Serialised here: a route's response schemas are for its own answers.
  return reply.code(body.status).type(PROBLEM_CONTENT_TYPE).serializer(JSON.stringify).send(body);
}
