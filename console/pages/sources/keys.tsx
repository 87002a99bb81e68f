// A source's write keys, and programs that send a call with one of them.
import { useState } from "react";
import { Link } from "react-router";
import { CopyButton } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Masked, ShowButton } from "../../elements/masked.tsx";
import { pairsText } from "../../elements/pairs.ts";
import { Table } from "../../elements/table.tsx";
import { Block, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { masked } from "../../elements/visible-text.ts";
import { WithScope } from "../../elements/with-scope.tsx";
import { ItsDestinations } from "./its-destinations.tsx";
import { EndKey, LastCall, RotateKey } from "./rotate-key.tsx";
import { snippetsOf } from "./snippets.ts";
import { useSource } from "./source.tsx";
import { Switch } from "./switch.tsx";

const INGEST_PORT = 8080;
const FIRST_LIBRARY = "curl";

/** Control does not say yet where ingest is: its usual port on this host, until the reader says another. */
function likelyIngest(): string {
  return `${location.protocol}//${location.hostname}:${INGEST_PORT}`;
}

function Snippets({ writeKey }: { readonly writeKey: string }) {
  const filters = useFilters();
  const [isShown, setIsShown] = useState(false);
  const chosen = filters.get("library") ?? FIRST_LIBRARY;
  const programsWith = (key: string) =>
    snippetsOf({ writeKey: key, ingest: filters.get("ingest") ?? likelyIngest() });
  const programWith = (key: string): string => {
    const programs = programsWith(key);
    return programs[chosen] ?? programs[FIRST_LIBRARY] ?? "";
  };
  const names = Object.keys(programsWith(writeKey)).filter((name) => name !== FIRST_LIBRARY);
  return (
    <>
      <h2>A first call</h2>
      <div className="filters">
        <ChoiceFilter
          filters={filters}
          name="library"
          label="Library"
          choices={names}
          unset={FIRST_LIBRARY}
        />
        <TextFilter filters={filters} name="ingest" label="Address of ingest" placeholder={likelyIngest()} />
      </div>
      <Block label={`A call with ${chosen}`}>{programWith(isShown ? writeKey : masked(writeKey))}</Block>
      <ShowButton what="the key in the program" isShown={isShown} show={setIsShown} />{" "}
      <CopyButton text={programWith(writeKey)} what="the program" />
    </>
  );
}

export function Keys() {
  const { createdAt, formerKeys, id, labels, updatedAt, writeKeys } = useSource();
  const [chosen, setChosen] = useState<string>();
  const writeKey = chosen !== undefined && writeKeys.includes(chosen) ? chosen : (writeKeys[0] ?? "");
  return (
    <>
      <Facts
        of={{
          Created: <Time at={createdAt} />,
          Changed: <Time at={updatedAt} />,
          Labels: <Text>{pairsText(labels, ", ")}</Text>,
        }}
      />
      <h2>Write keys</h2>
      <Table
        caption="Write keys"
        rows={writeKeys}
        keyOf={(key) => key}
        columns={[
          {
            title: "Key",
            cell: (key) =>
              masked(key) === key ? <code>{key}</code> : <Masked text={key} what="write key" />,
          },
          {
            title: "Last call",
            cell: (key) => {
              const former = formerKeys.find((one) => one.writeKey === key);
              return former === undefined ? "the newest" : <LastCall of={former} />;
            },
          },
          {
            title: "Program",
            cell: (key) =>
              key === writeKey ? (
                "below"
              ) : (
                <button type="button" onClick={() => setChosen(key)}>
                  Show it with this key
                </button>
              ),
          },
          { title: "Do", cell: (key) => (writeKeys.length > 1 ? <EndKey id={id} writeKey={key} /> : null) },
        ]}
      />
      <WithScope scope="write" to="To see whole write keys, and a first call with one,">
        <Snippets writeKey={writeKey} />
      </WithScope>
      <p>
        <Link to="live">Watch it come</Link>
      </p>
      <ItsDestinations id={id} />
      <RotateKey of={{ formerKeys, id, writeKeys }} choose={setChosen} />
      <Switch />
    </>
  );
}
