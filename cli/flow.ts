// What goes from sources to destinations now.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addShownLeaf, askAndShow, type JsonOption, positiveInteger } from "./leaf.ts";
import { coloured, printTable } from "./output.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface FlowAnswer {
  readonly from: string;
  readonly to: string;
  readonly sources: readonly (Named & {
    readonly refused: number;
    readonly dropped: number;
    readonly routed: number;
  })[];
  readonly destinations: readonly (Named & { readonly state: string; readonly isStuck: boolean })[];
  readonly flows: readonly {
    readonly sourceId: string;
    readonly destinationId: string;
    readonly sent: number;
    readonly dead: number;
    readonly waiting: number | null;
    readonly delivered: number | null;
  }[];
  readonly others: { readonly sources: number; readonly destinations: number };
}

const SOURCES = { source: "source", refused: "refused", dropped: "dropped", routed: "routed" };
const FLOWS = {
  ...{ from: "from", to: "to", calls: "sent", dead: "dead" },
  ...{ waiting: "waiting", delivered: "delivered", state: "state" },
};

export function addFlow(program: Command, context: CommandContext): void {
  addShownLeaf(program, "flow", {
    description: "calls of the last minutes from each source to each destination, and what is stuck",
    examples: ["flow", "flow --minutes 15 --json"],
  })
    .option("--minutes <count>", "of so many minutes, at most 15", positiveInteger, 5)
    .action(async ({ json, minutes }: JsonOption & { minutes: number }) => {
      const query = { minutes: String(minutes) };
      await askAndShow(context, { json }, (api) => api.ask("/v1/flow", { query }), printFlow);
    });
}

const called = ({ id, name }: Named): string => `${name} (${id})`;

function printFlow(context: CommandContext, answer: FlowAnswer): void {
  const { destinations, flows, from, others, sources, to } = answer;
  const sourceOf = new Map(sources.map((one) => [one.id, called(one)]));
  const destinationOf = new Map(destinations.map((one) => [one.id, one]));
  const rows = flows.map(({ destinationId, sourceId, ...ends }) => {
    const destination = destinationOf.get(destinationId);
    return {
      ...{ from: sourceOf.get(sourceId) ?? sourceId, ...ends },
      to: destination === undefined ? destinationId : called(destination),
      state: `${destination?.state ?? "-"}${destination?.isStuck === true ? ", stuck" : ""}`,
    };
  });
  context.print(coloured(context, "bold", `${from} to ${to}`));
  context.print("");
  const received = sources.map((one) => ({ ...one, source: called(one) }));
  printTable(context, SOURCES, { data: received, next: null });
  context.print("");
  printTable(context, FLOWS, { data: rows, next: null });
  const more = Object.entries(others).filter(([, count]) => count > 0);
  if (more.length > 0)
    context.say(`Not shown: ${more.map(([what, count]) => `${count} more ${what}`).join(", ")}.`);
}
