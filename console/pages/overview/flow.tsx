// The flow from sources to destinations: who sends, who gets, how much a minute, and what is stuck.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { DestinationLink, destinationPath } from "../../elements/destination-link.tsx";
import { AUDIENCES_SOURCE, sourcePath } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { type Line, linesOf, perMinute, ROW_PX } from "./flow-lines.ts";

const REFETCH_MS = 5_000;

type Flow = Schemas["Flow"];

function Source({ minutes, of }: { readonly minutes: number; readonly of: Flow["sources"][number] }) {
  const rate = perMinute(of.routed + of.dropped, minutes);
  return (
    <li>
      <Link to={sourcePath(of.id)}>
        <Text most={60}>{of.name}</Text>
      </Link>
      <span className="rate">
        {of.enabled ? rate : <State of="off" />}
        {of.refused > 0 && <State of="refused" />}
      </span>
    </li>
  );
}

interface DestinationProps {
  readonly minutes: number;
  readonly of: Flow["destinations"][number];
}

function Destination({ minutes, of }: DestinationProps) {
  const path = destinationPath(of.id);
  return (
    <li>
      <DestinationLink id={of.id} name={of.name} />
      <span className="rate">
        {perMinute(of.sent, minutes)} <State of={of.state} />
        {(of.isStuck || (of.waiting ?? 0) > 0) && (
          <Link to={`${path}/waiting`}>
            {of.waiting === null || of.waiting === 0
              ? "what waits"
              : `${of.waiting.toLocaleString("en")} waiting`}
          </Link>
        )}
        {of.dead > 0 && <Link to={`${path}/dead-letters`}>{of.dead.toLocaleString("en")} dead</Link>}
      </span>
    </li>
  );
}

/** The names beside it and the table below say what it shows. */
function Lines({ height, lines }: { readonly height: number; readonly lines: readonly Line[] }) {
  return (
    <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" style={{ height }} aria-hidden="true">
      {lines.map(({ curve, key, tone, width }) => (
        <path key={key} d={curve} className={tone} strokeWidth={width} />
      ))}
    </svg>
  );
}

function AsTable({ minutes, of }: { readonly minutes: number; readonly of: Flow }) {
  const sources = new Map(of.sources.map(({ id, name }) => [id, name]));
  const destinations = new Map(of.destinations.map((one) => [one.id, one]));
  return (
    <details>
      <summary>The same as a table</summary>
      <Table
        caption={`Calls of the last ${minutes} minutes from sources to destinations`}
        rows={of.flows}
        keyOf={({ destinationId, sourceId }) => `${sourceId} ${destinationId}`}
        columns={[
          {
            title: "Source",
            cell: ({ sourceId }) => (
              <Link to={sourcePath(sourceId)}>
                <Text most={60}>{sources.get(sourceId) ?? sourceId}</Text>
              </Link>
            ),
          },
          {
            title: "Destination",
            cell: ({ destinationId: id }) => <DestinationLink id={id} name={destinations.get(id)?.name} />,
          },
          { title: "Sent", isNumber: true, cell: ({ sent }) => perMinute(sent, minutes) },
          { title: "Waiting", isNumber: true, cell: ({ waiting }) => waiting?.toLocaleString("en") ?? "–" },
          {
            title: "Delivered",
            isNumber: true,
            cell: ({ delivered }) => delivered?.toLocaleString("en") ?? "–",
          },
          { title: "Dead", isNumber: true, cell: ({ dead }) => dead.toLocaleString("en") },
          {
            title: "State",
            cell: ({ destinationId }) => <State of={destinations.get(destinationId)?.state ?? "off"} />,
          },
        ]}
      />
    </details>
  );
}

function Others({ of: { destinations, sources } }: { readonly of: Flow["others"] }) {
  if (sources + destinations === 0) return null;
  return (
    <p className="quiet">
      Beside these there are {sources} <Link to="/sources">sources</Link> and {destinations}{" "}
      <Link to="/destinations">destinations</Link> with less to do.
    </p>
  );
}

export function FlowPicture({ of }: { readonly of: Flow }) {
  const minutes = (Date.parse(of.to) - Date.parse(of.from)) / 60_000;
  const height = Math.max(of.sources.length, of.destinations.length) * ROW_PX;
  const made = of.sources.filter(({ id }) => id !== AUDIENCES_SOURCE.id);
  const isBegun = made.length > 0 && of.destinations.length > 0;
  const first = <FirstSteps destinations={of.destinations} sources={made} />;
  if (of.sources.length === 0) return first;
  return (
    <>
      {!isBegun && first}
      <div className="flow">
        <ul aria-label="Sources, calls a minute">
          {of.sources.map((source) => (
            <Source key={source.id} minutes={minutes} of={source} />
          ))}
        </ul>
        <Lines height={height} lines={linesOf(of, minutes)} />
        <ul aria-label="Destinations, calls a minute">
          {of.destinations.map((destination) => (
            <Destination key={destination.id} minutes={minutes} of={destination} />
          ))}
        </ul>
      </div>
      <Others of={of.others} />
      <AsTable minutes={Math.round(minutes)} of={of} />
    </>
  );
}

export function useFlow() {
  return useQuery({
    queryKey: ["flow"],
    queryFn: () => answerOf(api.GET("/v1/flow")),
    refetchInterval: REFETCH_MS,
  });
}
