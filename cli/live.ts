// Shows what happens at a source or a destination, as it happens.
import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { addShownLeaf, pathOf } from "./leaf.ts";
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
  }).action(async (id: string, { json }: { json?: boolean }) => {
    const pieces = controlApi(context.environment).listen(pathOf(collection, id, "/live"));
    for await (const { name, data } of eventsIn(pieces)) {
      if (json === true) context.print(JSON.stringify({ name, data }));
      else context.print(lineOf(context, name, data));
    }
    context.say("The control process that was listened to has ended.");
  });
}

interface ServerSentEvent {
  readonly name: string;
  readonly data: JsonObject;
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
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) as JsonObject };
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
