import type { RequestResult } from "#contract";
import type { Egress } from "#egress";
import type { VirtualHost } from "../host/virtual-host.ts";
import type { VirtualTime } from "../host/virtual-time.ts";
import type { Random } from "../random.ts";
import { type Answer, answer, behaviourAt, type Script } from "./script.ts";

/** One request, as its endpoint saw it. */
export interface Request {
  readonly url: string;
  readonly messageId: string;
  /** null: the call has none. */
  readonly userId: string | null;
  /** The process that made it. */
  readonly process: string;
  readonly startedAtMs: number;
  /** What the endpoint was like. */
  readonly behaviour: string;
  /** When it answered, and how; undefined: not yet, or never. */
  answeredAtMs: number | undefined;
  status: number | undefined;
}

export interface EndpointsOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly scripts: readonly Script[];
  onAnswer(request: Request): void;
}

/** The customers' endpoints. They stand outside of every process: what they have answered counts, whoever lives to read it. */
export class Endpoints {
  readonly requests: Request[] = [];
  readonly #options: EndpointsOptions;
  readonly #scripts: ReadonlyMap<string, Script>;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#scripts = new Map(options.scripts.map((script) => [script.url, script]));
  }

  /** The way of one process to them. */
  egress(process: string, host: VirtualHost): Egress {
    let underWay = 0;
    let onIdle: (() => void) | undefined;
    return {
      post: async (options) => {
        underWay += 1;
        const result = await this.#post({ ...options, process, host });
        underWay -= 1;
        if (underWay === 0) onIdle?.();
        return result;
      },
      async close() {
        if (underWay === 0) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        onIdle = resolve;
        await promise;
      },
    };
  }

  #post(posted: Posted): Promise<RequestResult> {
    const { time, random } = this.#options;
    const script = this.#scripts.get(posted.url);
    if (script === undefined) throw new TypeError(`there is no endpoint ${posted.url}`);
    const behaviour = behaviourAt(script, time.nowMs);
    const given = answer(behaviour, random);
    const request = requestOf(posted, behaviour.kind, time.nowMs);
    this.requests.push(request);
    return this.#exchange(request, given, posted);
  }

  #exchange(request: Request, given: Answer, { deadlineMs, host }: Posted): Promise<RequestResult> {
    const { time } = this.#options;
    const { promise, resolve } = Promise.withResolvers<RequestResult>();
    const { afterMs } = given;
    // An endpoint finishes what it has begun, also when nobody waits for the answer any more.
    if (afterMs !== undefined) time.after(afterMs, () => this.#answered(request, given));
    if (afterMs !== undefined && afterMs < deadlineMs)
      host.setTimeout(() => resolve(resultOf(given, afterMs)), afterMs + 1);
    else host.setTimeout(() => resolve(failure("timeout", deadlineMs)), deadlineMs);
    return promise;
  }

  #answered(request: Request, { status }: Answer): void {
    request.answeredAtMs = this.#options.time.nowMs;
    request.status = status;
    this.#options.onAnswer(request);
  }
}

interface Posted {
  readonly url: string;
  readonly body: Buffer;
  readonly deadlineMs: number;
  readonly process: string;
  readonly host: VirtualHost;
}

function requestOf({ url, body, process }: Posted, behaviour: string, startedAtMs: number): Request {
  const { messageId, userId = null } = JSON.parse(body.toString()) as { messageId: string; userId?: string };
  return {
    url,
    messageId,
    userId,
    process,
    startedAtMs,
    behaviour,
    answeredAtMs: undefined,
    status: undefined,
  };
}

const NO_BODY = Buffer.alloc(0);

function resultOf({ kind, retryAfter, status }: Answer, durationMs: number): RequestResult {
  if (kind !== "status") return failure(kind, durationMs);
  return { kind: "response", status, retryAfter, durationMs, body: NO_BODY };
}

function failure(kind: "timeout" | "reset" | "connect", durationMs: number): RequestResult {
  return { kind: "failure", failure: kind, message: `simulated: ${kind}`, durationMs };
}
