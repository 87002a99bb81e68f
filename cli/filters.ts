// Commands on filters of destinations.
import type { Command } from "commander";
import { type CommandContext, readJson } from "./context.ts";
import { addShownLeaf, askAndShow, collect, type JsonOption, positiveInteger } from "./leaf.ts";
import { printTable } from "./output.ts";

interface TestOptions extends JsonOption {
  readonly file: string;
  readonly sourceId: string;
  readonly limit?: number;
  readonly callType?: readonly string[];
  readonly event?: readonly string[];
}

/** What is read of the answer. */
interface Tested {
  readonly sent: number;
  readonly passedOver: Readonly<Record<string, number>>;
  readonly isWhole: boolean;
  readonly calls: readonly TestedCall[];
}

interface TestedCall {
  readonly reason: string | null;
  readonly why: readonly { readonly path: string; readonly holds: boolean; readonly value: unknown }[];
}

const COLUMNS = {
  accepted: "acceptedAt",
  "message id": "messageId",
  type: "type",
  event: "event",
  "what becomes of it": "outcome",
  why: "why",
};

export function addFilterCommands(program: Command, context: CommandContext): void {
  const filters = program.command("filters").description("filters of destinations, before they are used");
  addShownLeaf(filters, "test", {
    description: "which of a source's last calls a filter would send, and why; nothing is sent",
    examples: [
      "filters test --file filter.json --source-id src_1",
      `echo '{"event": "Order Completed"}' | hookline filters test --file - --source-id src_1 --json`,
    ],
  })
    .requiredOption("--file <path>", "JSON file as docs/use/destinations.md has filters; - is standard input")
    .requiredOption("--source-id <id>", "whose calls")
    .option("--limit <count>", "the last so many, 100 at most", positiveInteger)
    .option("--call-type <type>", "as the destination's callTypes; may be given several times", collect)
    .option("--event <name>", "as the destination's events; may be given several times", collect)
    .action(async ({ callType: callTypes, event: events, file, json, limit, sourceId }: TestOptions) => {
      const body = { sourceId, filter: await readJson(context, file), callTypes, events, limit };
      await askAndShow(context, { json }, (api) => api.ask("/v1/filters/test", { body }), printTested);
    });
}

function printTested(context: CommandContext, { calls, isWhole, passedOver, sent }: Tested): void {
  const others = Object.entries(passedOver).map(([reason, count]) => `${reason} ${count}`);
  context.print([`${sent} of ${calls.length} calls would be sent`, ...others].join(", "));
  if (!isWhole) context.say("Five seconds were too short for all of them.");
  const data = calls.map((call) => ({
    ...call,
    outcome: call.reason ?? "sent",
    why: call.why.map(({ holds, path, value }) => `${path}: ${holds ? "" : "not "}${JSON.stringify(value)}`),
  }));
  if (data.length > 0) printTable(context, COLUMNS, { data, next: null });
}
