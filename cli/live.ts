// Shows what happens at a source or a destination, as it happens. A stream that ends is gone on with.
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addShownLeaf, type JsonOption, pathOf } from "./leaf.ts";
import { coloured } from "./output.ts";
import { printable } from "./terminal-text.ts";

export function addLiveCommands(program: Command, context: CommandContext): void {
  const live = program.command("live").description("what happens, as it happens; Ctrl-C ends it");
  addWatch(live, context, {
    what: "source",
    description: "calls of a source as they are accepted or refused, and their deliveries",
    collection: "/v1/sources",
    id: "src_1",
  });
  addWatch(live, context, {
    what: "destination",
    description: "deliveries to a destination",
    collection: "/v1/destinations",
    id: "dst_1",
  });
}

interface WatchOptions {
  readonly what: string;
  readonly description: string;
  readonly collection: string;
  /** The id as examples have it. */
  readonly id: string;
}

function addWatch(live: Command, context: CommandContext, options: WatchOptions): void {
  const { collection, description, id: example, what } = options;
  addShownLeaf(live, `${what} <id>`, {
    description,
    examples: [`live ${what} ${example}`, `live ${what} ${example} --json`],
  }).action(async (id: string, { json }: JsonOption) => {
    await follow(context, pathOf(collection, id, "/live"), ({ name, data }) => {
      if (json === true) context.print(JSON.stringify({ name, data }));
      else context.print(lineOf(context, name, data));
    });
  });
}

interface ServerSentEvent {
  readonly name: string;
  readonly data: JsonObject;
  readonly id: string | undefined;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Listens until Ctrl-C; control holds what comes meanwhile for some minutes. Rejects where the first try fails, and where control refuses. */
async function follow(
  context: CommandContext,
  path: string,
  onEvent: (event: ServerSentEvent) => void,
): Promise<never> {
  const api = controlApi(context.environment);
  let lastId: string | undefined;
  let waitMs: number | undefined;
  for (;;) {
    try {
      for await (const event of eventsIn(api.listen(path, lastId))) {
        if (event.name === "listening" && waitMs !== undefined) context.say("Connected again.");
        if (event.name === "listening") waitMs = FIRST_WAIT_MS;
        lastId = event.id ?? lastId;
        onEvent(event);
        await context.drained();
      }
    } catch (error) {
      if (waitMs === undefined || isRefusal(error)) throw error;
    }
    waitMs ??= FIRST_WAIT_MS;
    context.say(`The connection has ended; the next try is in ${waitMs / 1_000} s.`);
    await sleep(waitMs);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}

/** What waiting does not change: there is no such thing, or the token does not allow it. */
function isRefusal(error: unknown): boolean {
  return error instanceof CommandError && error.exitCode !== EXIT.unreachable;
}

/** The events of a stream, whose pieces may end anywhere; heartbeats are left out. */
async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let text = "";
  for await (const piece of pieces) {
    const events = `${text}${piece}`.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const lines = event.split("\n");
      const name = lines.find((line) => line.startsWith("event: "))?.slice("event: ".length);
      const data = lines.find((line) => line.startsWith("data: "))?.slice("data: ".length);
      const id = lines.find((line) => line.startsWith("id: "))?.slice("id: ".length);
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) as JsonObject, id };
    }
  }
}

/** The fields of each event's line, behind its time and its name. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  accepted: ["receivedAt", "type", "event", "messageId", "userId", "anonymousId"],
  refused: ["at", "code", "message", "calls"],
  delivery: ["startedAt", "outcome", "status", "durationMs", "url", "messageId", "error"],
};

function lineOf(context: CommandContext, name: string, data: JsonObject): string {
  const [time, ...fields] = FIELDS[name] ?? [];
  if (time === undefined) return coloured(context, "dim", printable(`${name} ${JSON.stringify(data)}`));
  const isBad = name === "refused" || (name === "delivery" && data["outcome"] !== "success");
  const values = fields.map((field) => data[field]).filter((value) => value !== null);
  const text = printable([data[time], name.padEnd("accepted".length), ...values].join("  "));
  return isBad ? coloured(context, "red", text) : text;
}
