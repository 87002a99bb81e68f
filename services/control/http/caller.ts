// Who sent a request, what that needs, and what the audit log says of it.
import type { FastifyRequest } from "fastify";
import type { ApiScope } from "#runtime";
import type { Caller } from "./auth.ts";
import { ProblemError } from "./problem.ts";
import type { Claim } from "./request-keys/claims.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
    /** Of a request with an Idempotency-Key that is carried out. */
    claim?: Claim;
  }
  interface FastifyContextConfig {
    /** What the caller's token must allow, `any` for whoever is let in; unless given, read for GET and write for everything else. */
    scope?: ApiScope | "any";
    /** A ticket in the URL is as good as a token. */
    takesTicket?: boolean;
  }
}

/** Who made a change, and by which request; of one that control makes by itself there is none. */
export interface Actor {
  readonly token: string;
  readonly requestId: string | null;
  /** Of a request that may be carried out again. Other requests may have its id. */
  readonly claim?: string;
  /** Unix ms: when that is. A change that is not begun by then is not made. */
  readonly changesUntilMs?: number;
}

/** Control itself. */
export const CONTROL_ACTOR: Actor = { token: "control", requestId: null };

export function actorOf({ caller, claim, id }: FastifyRequest): Actor {
  const actor = { token: caller.name, requestId: id };
  if (claim === undefined) return actor;
  return { ...actor, claim: claim.begun.claim, changesUntilMs: claim.changesUntilMs };
}

/** Throws a 403 that names the scope. What is not there needs none. */
export function checkScope(request: FastifyRequest): void {
  if (request.is404) return;
  const { caller, method, routeOptions } = request;
  const isRead = method === "GET" || method === "HEAD";
  const needed = routeOptions.config.scope ?? (isRead ? "read" : "write");
  if (needed === "any" || caller.scopes.includes(needed)) return;
  const has = caller.scopes.join(", ");
  throw new ProblemError(
    "forbidden",
    `this needs the scope ${needed}, and the token ${caller.name} has only ${has}`,
  );
}
