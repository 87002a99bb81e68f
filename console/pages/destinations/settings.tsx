// Every option of a destination, as it is.
import { Link } from "react-router";
import { OPTIONS } from "../../api/tables.generated.ts";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { pairsText } from "../../elements/pairs.ts";
import { SourceLink } from "../../elements/source-link.tsx";
import { Block, Json, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { type Destination, useDestination } from "./queries.ts";
import { Switch } from "./switch.tsx";

const orDefault = (value: string | number | null, byDefault: string) =>
  value ?? <span className="quiet">{byDefault}</span>;

function shownValue(value: unknown, unset = "") {
  if (Array.isArray(value)) return <Text most={2_000}>{value.join(", ")}</Text>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return orDefault(value as string | number | null, unset);
}

/** By their titles; the filter is shown in another way. */
function optionsOf(destination: Destination, group: "selection" | "sending") {
  const shown = Object.entries(OPTIONS).filter(([, of]) => of.group === group && of.kind !== "conditions");
  return Object.fromEntries(
    shown.map(([name, { title, unset }]) => [
      title,
      shownValue(destination[name as keyof typeof OPTIONS], unset),
    ]),
  );
}

function General({ destination: of }: { readonly destination: Destination }) {
  return (
    <Facts
      of={{
        Name: <Text>{of.name}</Text>,
        Id: <Copyable text={of.id} what="id" />,
        Enabled: of.enabled ? "yes" : "no",
        Labels: <Text most={2_000}>{pairsText(of.labels, ", ")}</Text>,
        Created: <Time at={of.createdAt} />,
        Changed: <Time at={of.updatedAt} />,
        Sources:
          of.sourceIds.length === 0
            ? "none"
            : of.sourceIds.map((id) => (
                <div key={id}>
                  <SourceLink id={id} />
                </div>
              )),
      }}
    />
  );
}

function Selection({ destination: of }: { readonly destination: Destination }) {
  return (
    <>
      <Facts of={optionsOf(of, "selection")} />
      {of.filter === null ? (
        <p className="quiet">No filter: all of them.</p>
      ) : (
        <Json label="Filter" value={of.filter} />
      )}
    </>
  );
}

function Sending({ destination: of }: { readonly destination: Destination }) {
  return (
    <Facts
      of={{
        ...optionsOf(of, "sending"),
        "Shared secret": of.sharedSecretSet ? "set" : "not set: calls are not signed",
        "Former secret valid until": <Time at={of.previousSecretValidUntil} />,
        Paused: of.paused === null ? "no" : <Time at={of.paused.since} />,
        "Calls wait, while paused, for": orDefault(of.paused?.callsWaitFor ?? null, "the window of retries"),
      }}
    />
  );
}

export function Settings() {
  const destination = useDestination();
  return (
    <>
      <p>
        <Link to="../edit" relative="path">
          Change them
        </Link>
      </p>
      <General destination={destination} />
      <h2>Which calls it gets</h2>
      <Selection destination={destination} />
      <h2>How they are sent</h2>
      <Sending destination={destination} />
      <h2>Webhooks</h2>
      {destination.webhooks.map(({ id, maskedUrl, headers }) => (
        <div className="card" key={id}>
          <Facts
            of={{
              URL: <Text most={500}>{maskedUrl}</Text>,
              Id: <Copyable text={id} what="id of the webhook" />,
            }}
          />
          {Object.keys(headers).length > 0 && (
            <Block label="Headers that are sent">{pairsText(headers)}</Block>
          )}
        </div>
      ))}
      <Switch of={destination} />
    </>
  );
}
