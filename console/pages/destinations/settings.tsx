// Every option of a destination, as it is.
import { Link } from "react-router";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Block, Json, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { type Destination, useDestination } from "./queries.ts";

const orDefault = (value: string | number | null, byDefault: string) =>
  value ?? <span className="quiet">{byDefault}</span>;

const listOf = (values: readonly string[] | null, all: string) =>
  values === null ? <span className="quiet">{all}</span> : <Text most={2_000}>{values.join(", ")}</Text>;

function labelsOf(labels: Destination["labels"]): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ");
}

function General({ destination: of }: { readonly destination: Destination }) {
  return (
    <Facts
      of={{
        Name: <Text>{of.name}</Text>,
        Id: <Copyable text={of.id} what="id" />,
        Enabled: of.enabled ? "yes" : "no",
        Labels: <Text most={2_000}>{labelsOf(of.labels)}</Text>,
        Created: <Time at={of.createdAt} />,
        Changed: <Time at={of.updatedAt} />,
        Sources:
          of.sourceIds.length === 0
            ? "none"
            : of.sourceIds.map((id) => (
                <div key={id}>
                  <Link to={`/sources/${encodeURIComponent(id)}`}>{id}</Link>
                </div>
              )),
      }}
    />
  );
}

function Selection({ destination: of }: { readonly destination: Destination }) {
  return (
    <>
      <Facts of={{ "Call types": listOf(of.callTypes, "all"), Events: listOf(of.events, "all") }} />
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
        "Requests a second": orDefault(of.maxRequestsPerSecond, "no limit"),
        "Requests in flight": orDefault(of.maxInFlight, "no limit"),
        Shards: orDefault(of.shards, "by default"),
        "Retry delays": listOf(of.retryDelays, "as the installation's"),
        "Retry window": orDefault(of.retryWindow, "as the installation's"),
        "Switched off after failing for": orDefault(of.disableAfter, "never"),
        "Standard Webhooks signature": of.standardWebhooks ? "yes" : "no",
        "Shared secret": of.sharedSecretSet ? "set" : "not set: calls are not signed",
        "Former secret valid until": <Time at={of.previousSecretValidUntil} />,
        Paused: of.paused === null ? "no" : <Time at={of.paused.since} />,
        "Calls wait, while paused, for": orDefault(of.paused?.callsWaitFor ?? null, "the window of retries"),
      }}
    />
  );
}

function headerText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
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
            <Block label="Headers that are sent">{headerText(headers)}</Block>
          )}
        </div>
      ))}
    </>
  );
}
