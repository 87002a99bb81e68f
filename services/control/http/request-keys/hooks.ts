// Idempotency-Key of every route that changes something by POST: which requests are kept, and what a repeated one is answered.
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { type TObject, Type } from "typebox";
import { jsonFault } from "#contract";
import type { Logger } from "#runtime";
import { isDryRun } from "../dry-run.ts";
import { entityTag } from "../entity-tag.ts";
import { ProblemError, refused } from "../problem.ts";
import type { ControlApp } from "../server.ts";
import {
  type Claim,
  type ClaimParts,
  claimOrRepeat,
  type Ending,
  end,
  KEY_HEADER,
  type KeyedRequest,
  UnderWay,
} from "./claims.ts";
import type { KeptAnswer } from "./sealed.ts";
import type { KeyObserver } from "./telemetry.ts";

export interface RequestKeyParts {
  readonly requestKeys: ClaimParts & { readonly observer: KeyObserver; readonly logger: Logger };
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;
/** Of an answer that is repeated. */
const REPLAYED_HEADER = "idempotent-replayed";
/** Of an answer that cannot be repeated, because it is too large. */
const KEPT_HEADER = "idempotent-kept";
/** Answers are a few kilobytes; a token has room for 256 of the largest in a day. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Of a body; what routes read nests less. */
const MAX_BODY_DEPTH = 64;
const KEPT_HEADERS = ["content-type", "etag", "location"] as const;
const AGAIN_AFTER_SECONDS = 1;

const KeyHeader = Type.String({
  description:
    "1 to 255 visible ASCII characters, new for each change: a request that comes again with it within 24 hours is not carried out again, but answered as the first one, with `Idempotent-Replayed: true`. 422 when the body is another; 409 with Retry-After while the first is under way, without it when it is not known what that has changed, or when its answer had more than 64 KiB: that answer said so by `Idempotent-Kept: false`.",
});

/** For the routes that are added after it. Costs nothing without the header. */
export function acceptRequestKeys(app: ControlApp, parts: RequestKeyParts): void {
  app.addHook("onRoute", (route) => {
    // What changes nothing may be asked again.
    if (route.method !== "POST" || route.config?.scope === "read") return;
    route.schema = { ...route.schema, headers: withKey(route) };
    route.preHandler = async (request, reply) => await begin(parts, request, reply);
    route.onSend = async (request, reply, payload) => {
      if (request.claim === undefined) return payload;
      const ending = endingOf(reply, payload);
      if (ending.state === "unkept") reply.header(KEPT_HEADER, "false");
      await finish(parts, request.claim, ending);
      return payload;
    };
  });
}

function withKey({ schema }: RouteOptions): TObject {
  const given = (schema?.headers as TObject | undefined)?.properties;
  return Type.Object({ ...given, [KEY_HEADER]: Type.Optional(KeyHeader) });
}

async function begin({ requestKeys }: RequestKeyParts, request: FastifyRequest, reply: FastifyReply) {
  const given = request.headers[KEY_HEADER];
  if (given === undefined || isDryRun(request.body)) return undefined;
  const { observer } = requestKeys;
  try {
    const begun = await claimOrRepeat(requestKeys, keyedRequest(request, String(given)));
    if (begun.kind === "repeat") {
      observer.repeated();
      return repeat(reply, begun.answer);
    }
    observer.carriedOut();
    request.claim = begun;
  } catch (error) {
    observer.refused();
    if (error instanceof UnderWay) reply.header("retry-after", String(AGAIN_AFTER_SECONDS));
    throw error;
  }
  return undefined;
}

function keyedRequest({ body, caller, id, url }: FastifyRequest, key: string): KeyedRequest {
  if (!VISIBLE_ASCII.test(key))
    throw refused([{ path: "Idempotency-Key", message: "must have 1 to 255 visible ASCII characters" }]);
  if (jsonFault(body, MAX_BODY_DEPTH) !== undefined)
    throw new ProblemError(
      "unreadable",
      `with an Idempotency-Key a body may nest at most ${MAX_BODY_DEPTH} levels deep, and have no number beyond a double's`,
    );
  return {
    id: hash("sha256", JSON.stringify([caller.name, url, key]), "base64url"),
    // In whatever order its fields are.
    bodyHash: entityTag({ body: body ?? null }),
    requestId: id,
    token: caller.name,
  };
}

function repeat(reply: FastifyReply, { status, headers, body }: KeptAnswer): FastifyReply {
  return reply.code(status).headers(headers).header(REPLAYED_HEADER, "true").send(Buffer.from(body));
}

/** What was refused has changed nothing, and may be corrected; of what failed it is not known. */
function endingOf(reply: FastifyReply, payload: unknown): Ending {
  const { statusCode: status } = reply;
  if (status >= 400 && status < 500) return { state: "released" };
  if (status >= 300 || typeof payload !== "string") return { state: "unknown" };
  if (Buffer.byteLength(payload) > MAX_ANSWER_BYTES) return { state: "unkept" };
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return { state: "finished", answer: { status, headers: Object.fromEntries(headers), body: payload } };
}

/** Before the answer is sent: what a caller was answered is repeated. What it has changed is durable, so it is told in any case. */
async function finish({ requestKeys }: RequestKeyParts, claim: Claim, ending: Ending): Promise<void> {
  try {
    await end(requestKeys, claim, ending);
  } catch (error) {
    const { requestId } = claim.begun;
    requestKeys.logger.warn(
      { err: error, requestId },
      "how a request with an Idempotency-Key has ended is not kept",
    );
  }
}
