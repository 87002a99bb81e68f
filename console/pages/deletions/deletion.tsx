// One regulation, and how far it is in each source.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Page } from "../../elements/page.tsx";
import { SourceLink } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { titleOf } from "./types.ts";

const REFETCH_MS = 3_000;

type Regulation = Schemas["Regulation"];

const isUnderWay = ({ status }: Regulation): boolean => status === "initialized" || status === "running";

function Progress({ of: { notified, sources, subjectCount } }: { readonly of: Regulation }) {
  const all = sources.length * subjectCount;
  if (all === 0) return null;
  return (
    <p>
      <progress aria-label="Progress of the notifications" value={Math.min(notified, all)} max={all} />{" "}
      {notified.toLocaleString("en")} of {all.toLocaleString("en")} notifications written
    </p>
  );
}

function Shown({ of }: { readonly of: Regulation }) {
  const isDeletion = of.regulationType.includes("DELETE");
  return (
    <>
      {isDeletion && isUnderWay(of) && <Progress of={of} />}
      <Facts
        of={{
          Kind: titleOf(of.regulationType),
          State: <State of={of.status} />,
          Id: <Copyable text={of.id} what="id" />,
          Users: of.subjectCount.toLocaleString("en"),
          In: <Text>{of.sourceId ?? "the workspace"}</Text>,
          "Notifications written": of.notified.toLocaleString("en"),
          Begun: <Time at={of.createdAt} />,
          Changed: <Time at={of.updatedAt} />,
        }}
      />
      <p className="quiet">Whom it is about can be written, never read.</p>
      {of.sources.length > 0 && (
        <Table
          caption="Sources"
          rows={of.sources}
          keyOf={({ sourceId }) => sourceId}
          columns={[
            {
              title: "Source",
              cell: ({ sourceId }) => <SourceLink id={sourceId} isNamed={false} />,
            },
            { title: "State", cell: ({ status }) => <State of={status} /> },
          ]}
        />
      )}
    </>
  );
}

export function Deletion() {
  const { id = "" } = useParams();
  const query = useQuery({
    queryKey: ["regulation", id],
    queryFn: () => answerOf(api.GET("/v1/regulations/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? REFETCH_MS : false),
  });
  return (
    <Page title="Deletion or suppression">
      <Answer query={query}>{(regulation) => <Shown of={regulation} />}</Answer>
    </Page>
  );
}
