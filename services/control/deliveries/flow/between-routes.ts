// GET /v1/flow: what goes from sources to destinations now.
import { Type } from "typebox";
import { SPACE_SOURCE } from "#contract";
import type { DestinationConfig } from "#topics";
import { TimeField } from "../../http/fields.ts";
import { nextTurn } from "../../http/next-turn.ts";
import { nullableInteger } from "../../http/nullable.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { ofSource } from "../../resources/destinations/configured.ts";
import { HEALTH_STATES, healthState } from "../../resources/destinations/health/view.ts";
import { floorTo, STEP_MS } from "../index/eras.ts";
import type { FlowBetween } from "../index/flow-between.ts";
import type { WaitingCount } from "../waiting/kept-waiting.ts";
import { between, MOST_SHOWN, sourcesOf } from "./between.ts";
import { shownDestinations, shownSources } from "./candidates.ts";
import type { BetweenParts } from "./parts.ts";
import { countedUntilMs } from "./read.ts";
import { CountedUntilField } from "./schemas.ts";
import { readSettled } from "./settled.ts";

const MOST_MINUTES = 15;
const DEFAULT_MINUTES = 5;

const STATES = ["off", "paused", ...HEALTH_STATES] as const;
type State = (typeof STATES)[number];
const STUCK: readonly State[] = ["paused", "failing", "breaker_open"];

const calls = (description: string) => Type.Integer({ description });
const ENDS = {
  sent: calls("Calls that became jobs: dead, waiting and delivered together."),
  dead: calls("Of calls of this time those that have failed for good."),
  waiting: nullableInteger("Of sent, those whose outcome is not known yet; null while it cannot be counted."),
  delivered: nullableInteger("Of sent, those that a webhook has taken; null where waiting is."),
};
const NAMED = { id: Type.String(), name: Type.String() };

const FlowView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    sources: Type.Array(
      Type.Object({
        ...NAMED,
        enabled: Type.Boolean(),
        refused: calls("Calls that ingest answered with an error."),
        dropped: calls("Accepted calls that no destination got, or that a fault of Hookline stopped."),
        routed: calls("Accepted calls that at least one destination got."),
      }),
      {
        description:
          "Those with most calls first. `spa_default` is among them where a destination has it: what audiences and computed traits send.",
      },
    ),
    destinations: Type.Array(
      Type.Object({
        ...NAMED,
        state: Type.Unsafe<State>({
          type: "string",
          enum: [...STATES],
          description: "off, paused, or as `health.state` of the destination.",
        }),
        isStuck: Type.Boolean({
          description: "Calls wait and do not get through: it is paused, failing or breaker_open.",
        }),
        ...ENDS,
      }),
      { description: "Those that are stuck first, then those with most calls." },
    ),
    flows: Type.Array(
      Type.Object({
        sourceId: Type.String(),
        destinationId: Type.String(),
        ...ENDS,
      }),
      { description: "Between those above: each pair that is connected, or has calls." },
    ),
    others: Type.Object(
      { sources: Type.Integer(), destinations: Type.Integer() },
      { description: `How many there are beside the ${MOST_SHOWN} of each that are shown.` },
    ),
    countedUntil: CountedUntilField,
  },
  { title: "Flow", description: "What goes from sources to destinations." },
);

export function addBetweenRoute(app: ControlApp, parts: BetweenParts): void {
  app.get(
    "/v1/flow",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "getFlow",
        summary: "Calls of the last minutes from each source to each destination, and what is stuck",
        description: `Counted as in GET /v1/stats. At most ${MOST_SHOWN} sources and ${MOST_SHOWN} destinations.`,
        querystring: Type.Object({
          minutes: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MOST_MINUTES, default: DEFAULT_MINUTES }),
          ),
        }),
        response: { 200: FlowView },
      },
    },
    async ({ query: { minutes = DEFAULT_MINUTES } }) => {
      const nowMs = parts.nowMs();
      const fromMs = floorTo(nowMs, STEP_MS.minute) - minutes * STEP_MS.minute;
      const counted = await readFlow(parts, fromMs, nowMs);
      const isStuck = (one: DestinationConfig): boolean => destinationOf(one, parts).isStuck;
      const destinations = await shownDestinations(parts, counted.sums, isStuck);
      const isTaken = parts.destinations.hasAny(ofSource(SPACE_SOURCE));
      const shown = between(counted, {
        sources: sourcesOf(await shownSources(parts, counted.sums), isTaken),
        destinations: destinations.map((one) => destinationOf(one, parts)),
      });
      return {
        ...{ from: isoTime(fromMs), to: isoTime(nowMs) },
        sources: [...shown.sources],
        destinations: shown.destinations.map(({ sourceIds: _, ...destination }) => destination),
        flows: [...shown.flows],
        others: {
          sources: parts.sources.size + Number(isTaken) - shown.sources.length,
          destinations: parts.destinations.size - shown.destinations.length,
        },
        countedUntil: isoTimeOrNull(countedUntilMs(parts)),
      };
    },
  );
}

/** What is sent after the last minute waits too, and is not counted. */
async function readFlow(parts: BetweenParts, fromMs: number, toMs: number) {
  const read = (): Promise<FlowBetween[]> => readMinutes(parts, fromMs, toMs);
  const { sums, waiting } = await readSettled(parts, {
    read,
    readDead: async () => (await read()).filter(isDead),
  });
  const isOfTime = ({ minuteMs }: WaitingCount): boolean => minuteMs >= fromMs && minuteMs <= toMs;
  return { sums, waiting: waiting?.filter(isOfTime) };
}

function isDead({ stage }: FlowBetween): boolean {
  return stage === "dead";
}

/** A minute in each turn: with a thousand pairs of sources and destinations it has thousands of rows. */
async function readMinutes(
  { deliveries, host }: Pick<BetweenParts, "deliveries" | "host">,
  fromMs: number,
  toMs: number,
): Promise<FlowBetween[]> {
  const sums: FlowBetween[] = [];
  for (let minuteMs = fromMs; minuteMs <= toMs; minuteMs += STEP_MS.minute) {
    if (minuteMs > fromMs) await nextTurn(host);
    sums.push(...(await deliveries.index.sumBetween(minuteMs)));
  }
  return sums;
}

function destinationOf(
  destination: DestinationConfig,
  { breakers, health, nowMs }: Pick<BetweenParts, "breakers" | "health" | "nowMs">,
) {
  const { enabled, id, name, pausedAtMs, sourceIds } = destination;
  const breakerOf = (url: string) => breakers.of(url, nowMs());
  const working = pausedAtMs === null ? healthState(destination, health.of(id), breakerOf) : "paused";
  const state: State = enabled ? working : "off";
  return { id, name, sourceIds, state, isStuck: STUCK.includes(state) };
}
