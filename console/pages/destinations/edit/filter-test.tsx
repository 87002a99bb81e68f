// What the filter in the form would do with the last calls of each source, before it is saved.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api, type Schemas } from "../../../api/client.ts";
import { ProblemNote } from "../../../elements/answer.tsx";
import { Why } from "../../../elements/conditions/why.tsx";
import { State } from "../../../elements/state.tsx";
import { Table } from "../../../elements/table.tsx";
import { Text } from "../../../elements/text.tsx";
import { Time } from "../../../elements/time.tsx";
import { UserLink } from "../../../elements/user-link.tsx";
import { givenOf, OPTION_NAMES, OPTIONS, type Texts } from "./options.ts";

type Tested = Schemas["FilterTest"];
type TestedCall = Schemas["TestedCall"];

const SELECTION = OPTION_NAMES.filter((name) => OPTIONS[name].group === "selection");

interface OfSource {
  readonly sourceId: string;
  readonly tested: Tested;
}

/** One source after the other: each is work for Kafka. */
async function testAll(texts: Texts): Promise<readonly OfSource[]> {
  const selection = SELECTION.map((name) => [name, givenOf(name, texts)]);
  const all: OfSource[] = [];
  for (const sourceId of givenOf("sourceIds", texts) as readonly string[]) {
    const body = { sourceId, ...Object.fromEntries(selection) } as Schemas["TestFilterBody"];
    all.push({ sourceId, tested: await answerOf(api.POST("/v1/filters/test", { body })) });
  }
  return all;
}

function Calls({ calls, sourceId }: { readonly calls: readonly TestedCall[]; readonly sourceId: string }) {
  return (
    <Table
      caption={`Last calls of ${sourceId}`}
      rows={calls}
      keyOf={({ acceptedAt, messageId, userId }) => `${acceptedAt} ${messageId} ${userId}`}
      columns={[
        { title: "Accepted", cell: ({ acceptedAt }) => <Time at={acceptedAt} /> },
        { title: "Call", cell: ({ event, type }) => <Text most={60}>{event ?? type}</Text> },
        { title: "User", cell: (ids) => <UserLink {...ids} /> },
        { title: "What becomes of it", cell: ({ reason }) => <State of={reason ?? "sent"} /> },
        { title: "Why", cell: ({ why }) => <Why of={why} /> },
      ]}
    />
  );
}

const SHOWN = { all: "All", sent: "Sent", passedOver: "Passed over" } as const;
type Shown = keyof typeof SHOWN;

function Source({ sourceId, tested }: OfSource) {
  const [shown, setShown] = useState<Shown>("all");
  const { calls, isWhole, passedOver, sent } = tested;
  const others = Object.entries(passedOver).map(
    ([reason, count]) => `${reason.replaceAll("_", " ")} ${count}`,
  );
  const chosen = calls.filter(({ isSent }) => shown === "all" || isSent === (shown === "sent"));
  return (
    <section aria-label={`Of the source ${sourceId}`}>
      <h2>
        <Text>{sourceId}</Text>
      </h2>
      <p role="status">
        {[`${sent} of the last ${calls.length} calls would be sent`, ...others].join(", ")}
        {!isWhole && "; there was no time for the rest"}.
      </p>
      {calls.length > 0 && (
        <div className="row">
          {(Object.keys(SHOWN) as Shown[]).map((one) => (
            <button type="button" key={one} aria-pressed={shown === one} onClick={() => setShown(one)}>
              {SHOWN[one]}
            </button>
          ))}
        </div>
      )}
      {chosen.length > 0 && <Calls sourceId={sourceId} calls={chosen} />}
    </section>
  );
}

export function FilterTest({ texts }: { readonly texts: Texts }) {
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => testAll(texts) });
  return (
    <div>
      <button type="button" disabled={isPending} onClick={() => mutate()}>
        {isPending ? "Testing …" : "Test on the last 100 calls"}
      </button>
      {error !== null && <ProblemNote error={error} />}
      {data?.length === 0 && <p>It has no source, so no calls.</p>}
      {data?.map((one) => (
        <Source key={one.sourceId} {...one} />
      ))}
    </div>
  );
}
