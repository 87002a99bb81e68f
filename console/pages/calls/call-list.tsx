// Accepted calls of a source, the newest first, each with the way to what became of it.
import type { ReactNode } from "react";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import type { paths } from "../../api/openapi.generated.ts";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { type Column, Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { CallLink } from "./call-link.tsx";

export type SourceCall = Schemas["SourceCall"];
export type CallQuery = NonNullable<paths["/v1/sources/{id}/calls"]["get"]["parameters"]["query"]>;

interface CallListProps {
  readonly sourceId: string;
  readonly query: CallQuery;
  readonly empty: ReactNode;
  /** What became of each. */
  readonly became: readonly Column<SourceCall>[];
}

export function CallList({ became, empty, query, sourceId }: CallListProps) {
  const list = usePaged<SourceCall>({
    key: ["source-calls", sourceId, query],
    load: (page) => {
      const params = { path: { id: sourceId }, query: { ...query, ...page } };
      return answerOf(api.GET("/v1/sources/{id}/calls", { params }));
    },
  });
  return (
    <Paged query={list} empty={empty}>
      {(rows) => (
        <Table
          caption="Accepted calls, the newest first"
          rows={rows}
          keyOf={({ acceptedAt, anonymousId, messageId, userId }) =>
            `${acceptedAt} ${messageId} ${userId} ${anonymousId}`
          }
          columns={[
            { title: "Call", cell: (row) => <CallLink of={{ ...row, sourceId }} /> },
            { title: "Accepted", cell: ({ acceptedAt }) => <Time at={acceptedAt} /> },
            { title: "Type", cell: ({ type }) => <Text>{type}</Text> },
            { title: "Event", cell: ({ event }) => <Text most={80}>{event}</Text> },
            { title: "User", cell: (ids) => <UserLink {...ids} /> },
            ...became,
          ]}
        />
      )}
    </Paged>
  );
}
