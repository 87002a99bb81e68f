// What ingest refused of a source: why, and what was sent.
import { useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { REFUSAL_CODES } from "../../api/tables.generated.ts";
import { Answer } from "../../elements/answer.tsx";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { useOpenRow } from "../../elements/open-row.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { Block, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { useSourceId } from "./source.tsx";

type Refused = Schemas["RefusedCalls"];

const WHY: Readonly<Record<NonNullable<Schemas["NoRefusedBody"]>, string>> = {
  user_deleted: "A user whom the body names, or may name, was deleted: it is not shown.",
  not_kept:
    "No body was kept: the request was refused before it was read, names a suppressed user, or too many came at once.",
  no_longer_kept: "The body is no longer kept.",
};

function Body({ id, sourceId }: { readonly id: string; readonly sourceId: string }) {
  const query = useQuery({
    queryKey: ["refused", sourceId, id],
    queryFn: () =>
      answerOf(
        api.GET("/v1/sources/{id}/refused-calls/{refusedId}", {
          params: { path: { id: sourceId, refusedId: id } },
        }),
      ),
  });
  return (
    <Answer query={query}>
      {({ bodyText, isBodyCut, noBody }) => (
        <>
          {bodyText === null ? (
            <p className="quiet">{WHY[noBody ?? "not_kept"]}</p>
          ) : (
            <Block label="What was sent">{bodyText}</Block>
          )}
          {isBodyCut && <p className="quiet">There was more of it.</p>}
        </>
      )}
    </Answer>
  );
}

function Users({ of }: { readonly of: Refused["userIds"] }) {
  if (of === null || of.length === 0) return <Text>{null}</Text>;
  return of.map((userId) => <UserLink key={userId} userId={userId} anonymousId={null} />);
}

export function RefusedCalls() {
  const id = useSourceId();
  const filters = useFilters();
  const { isOpen, opener } = useOpenRow();
  const query = filters.pick("code", "userId", "from", "to") as { readonly code?: Refused["code"] };
  const list = usePaged<Refused>({
    key: ["refused", id, query],
    load: (page) =>
      answerOf(
        api.GET("/v1/sources/{id}/refused-calls", { params: { path: { id }, query: { ...query, ...page } } }),
      ),
  });
  return (
    <>
      <div className="filters">
        <ChoiceFilter filters={filters} name="code" label="Reason" choices={REFUSAL_CODES} />
        <TextFilter filters={filters} name="userId" label="User id" />
        <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
        <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
      </div>
      <Paged
        query={list}
        empty={emptyList(filters, "Nothing was refused", "Every call of this source was accepted.")}
      >
        {(rows) => (
          <Table
            caption="Refused calls, the newest first"
            rows={rows}
            keyOf={(row) => row.id}
            below={(row) => (isOpen(row.id) ? <Body id={row.id} sourceId={id} /> : undefined)}
            columns={[
              { title: "Reason", cell: ({ code, id: key }) => opener(key, code.replaceAll("_", " ")) },
              { title: "When", cell: ({ at }) => <Time at={at} /> },
              { title: "Said to the caller", cell: ({ message }) => <Text most={200}>{message}</Text> },
              { title: "Calls", isNumber: true, cell: ({ calls }) => calls.toLocaleString("en") },
              { title: "Users", cell: ({ userIds }) => <Users of={userIds} /> },
            ]}
          />
        )}
      </Paged>
    </>
  );
}
