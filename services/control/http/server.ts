// The HTTP side of the API, whatever its routes: who may use it, how bodies are read, how problems are answered.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import swagger from "@fastify/swagger";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RawServerDefault,
} from "fastify";
import { givenRequestId } from "#contract";
import { type Host, systemHost } from "#host";
import { closesUnused, type Logger } from "#runtime";
import type { Telemetry } from "../telemetry.ts";
import { type AllowedMethods, watchMethods } from "./allowed-methods.ts";
import type { Authorise, RequestIdentity } from "./auth.ts";
import { checkScope } from "./caller.ts";
import { boundConnections, type Connections, type ConnectionsOptions } from "./connections.ts";
import type { ConsoleFiles } from "./console/files.ts";
import { serveConsole } from "./console/serve.ts";
import { nextTurn } from "./next-turn.ts";
import { addProblems, openApiOptions } from "./openapi.ts";
import { PROBLEM_CONTENT_TYPE, ProblemError, ProblemSchema, problemBody } from "./problem.ts";
import { buildSerializer } from "./serialization.ts";
import { sessionIn } from "./session-cookie.ts";
import { ticketIn } from "./tickets.ts";
import { toProblem } from "./to-problem.ts";
import { addBodyRules, addParameterRules, createValidatorCompiler } from "./validation.ts";

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
  /** The real machine unless given. */
  readonly host?: ConnectionsOptions["host"] & Pick<Host, "setImmediate">;
  /** Of a request that brings no usable id of its own. */
  readonly newRequestId: () => string;
  /** Adds the routes; each section of the API brings its own. */
  readonly routes: readonly ((app: ControlApp) => void)[];
  /** The console's; none unless given. */
  readonly files?: ConsoleFiles | undefined;
}

/** Five webhooks with all their headers fit, and so does a call. */
const MAX_BODY_BYTES = 512 * 1024;
/** An upload of a million rows over a slow line fits. */
const REQUEST_TIMEOUT_MS = 600_000;
/** Headers fit into one packet: whoever takes longer says nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Node by itself looks every 30 s. */
const TIMEOUT_CHECK_MS = 2_000;
/** Of a path, as it is encoded: ids of users and calls are longer than the router expects, and bounded by the request's line. */
const MAX_PARAMETER_LENGTH = 16_384;
const RETRY_AFTER_SECONDS = 5;
const REQUEST_ID = "x-request-id";
/** People and their programs need a few; whoever opens more cannot take the process's files and memory. */
const MAX_CONNECTIONS = 500;

/** In place of a compiler that fastify would load, and that setValidatorCompiler replaces. */
function isGivenBelow(): never {
  throw new Error("setValidatorCompiler has not been called");
}

/** In several turns: each loads modules, or looks at all routes. */
export async function createServer(options: ServerOptions): Promise<ControlApp> {
  const { host = systemHost, newRequestId } = options;
  const app: ControlApp = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    requestIdHeader: false,
    schemaController: { compilersFactory: { buildSerializer, buildValidator: isGivenBelow } },
    genReqId: ({ headers }) => givenRequestId(headers["x-request-id"]) ?? newRequestId(),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, newRequestId()),
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toProblem(error)),
  }).withTypeProvider<TypeBoxTypeProvider>();
  const connections = boundConnections({ host, server: app.server, most: MAX_CONNECTIONS });
  const closeUnused = closesUnused(app.server);
  app.addHook("preClose", async () => closeUnused());
  app.setValidatorCompiler(createValidatorCompiler());
  acceptJsonOnly(app);
  addParameterRules(app);
  addBodyRules(app);
  addProblems(app);
  serveConsole(app, options.files);
  addHooks(app, options, connections);
  answerUnrouted(app, watchMethods(app));
  answerErrors(app, options.logger);
  app.addSchema(ProblemSchema);
  await nextTurn(host);
  void app.register(swagger, openApiOptions());
  // Loaded in this order; awaited here, it would end the loading before there are routes.
  void app.register((_scope, _options, loaded) => void host.setImmediate(() => loaded()));
  app.after(() => {
    for (const addRoutes of options.routes) addRoutes(app);
    app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  });
  await app.ready();
  return app;
}

/**
 * A type that a browser's form can send would let a page of any origin change the configuration of a service without
 * tokens. An empty body is no body, whatever its type says. Bytes that are no UTF-8 would be read as other ids than are meant.
 */
function acceptJsonOnly(app: ControlApp): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  const types = ["application/json", "application/merge-patch+json"];
  app.addContentTypeParser<Buffer>(types, { parseAs: "buffer" }, (request, bytes, done) => {
    const body = bytes.toString();
    if (body.trim() === "") done(null, undefined);
    else if (!isUtf8(bytes)) done(new ProblemError("unreadable", "the body is not UTF-8"));
    else void parseJson(request, body, done);
  });
}

function addHooks(app: ControlApp, { authorise, telemetry }: ServerOptions, connections: Connections): void {
  app.decorateRequest("caller");
  app.decorateRequest("claim");
  app.addHook("onRequest", async (request, reply) => {
    reply.header(REQUEST_ID, request.id);
    request.caller = authorise(identityOf(request));
    checkScope(request);
    const underWay = connections.begin(request.raw, request.caller.name);
    reply.raw.once("close", () => underWay.end());
  });
  app.addHook("onResponse", async (_request, reply) => {
    telemetry.answered(reply.statusCode, reply.elapsedTime);
  });
}

function identityOf({ headers, method, routeOptions, url }: FastifyRequest): RequestIdentity {
  const { authorization, host, origin } = headers;
  const csrfToken = headers["x-csrf-token"];
  return {
    method,
    authorization,
    session: sessionIn(headers.cookie, headers),
    ticket: routeOptions.config.takesTicket === true ? ticketIn(url) : undefined,
    csrfToken: typeof csrfToken === "string" ? csrfToken : undefined,
    host,
    origin,
    fetchSite: headers["sec-fetch-site"],
  };
}

function answerUnrouted(app: ControlApp, allowedMethods: AllowedMethods): void {
  app.setNotFoundHandler(({ method, url }, reply) => {
    const [path = ""] = url.split("?", 1);
    const allowed = allowedMethods(path).join(", ");
    if (allowed === "") return sendProblem(reply, new ProblemError("not_found", `there is no ${path}`));
    reply.header("allow", allowed);
    return sendProblem(
      reply,
      new ProblemError("method_not_allowed", `${path} takes ${allowed}, not ${method}`),
    );
  });
}

function answerErrors(app: ControlApp, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    // The route's pattern, not the URL: a write key is part of one.
    const { id: requestId, method, routeOptions } = request;
    const facts = { requestId, method, route: routeOptions.url, err: error };
    if (problem.kind === "failed") logger.error(facts, "request failed");
    if (problem.kind === "unavailable") logger.warn(facts, "request refused: it cannot be answered now");
    return sendProblem(reply, problem);
  });
}

function sendProblem(reply: FastifyReply, problem: ProblemError): FastifyReply {
  const { id } = reply.request;
  const body = problemBody(problem, id);
  // What cannot be routed has not been through the hooks.
  reply.header(REQUEST_ID, id);
  if (problem.kind === "unauthorized") reply.header("www-authenticate", "Bearer");
  if (problem.kind === "unavailable") reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  // Serialised here: a route's response schemas are for its own answers.
  return reply.code(body.status).type(PROBLEM_CONTENT_TYPE).serializer(JSON.stringify).send(body);
}

/** What cannot be read as HTTP has no request yet, and no reply. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const problem = new ProblemError("unreadable", `the request is not readable as HTTP (${error.code})`);
  const body = JSON.stringify(problemBody(problem, requestId));
  const head = [
    "HTTP/1.1 400 Bad Request",
    "Connection: close",
    `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
