// Calls that failed for good, of all destinations or of one, and sending them again.
import { useState } from "react";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { DEAD_LETTER_REASONS } from "../../api/tables.generated.ts";
import { Action, counted } from "../../elements/action.tsx";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { type Column, Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { CallLink } from "../calls/call-link.tsx";

type Letter = Schemas["DeadLetter"];
type Selection = Schemas["ReplayDeadLettersBody"];

interface ReplayProps {
  readonly label: string;
  readonly question: string;
  readonly selection: Selection;
  readonly disabled?: boolean;
  readonly sent?: () => void;
}

const ask = (body: Selection) => answerOf(api.POST("/v1/dead-letters/replay", { body }));

export function Replay({ label, question, selection, disabled = false, sent }: ReplayProps) {
  return (
    <Action
      label={label}
      question={question}
      disabled={disabled}
      count={async () => counted(await ask({ ...selection, dryRun: true }))}
      run={async () => {
        const answer = await ask(selection);
        sent?.();
        return answer;
      }}
      done={(answer) =>
        "replayId" in answer && (
          <>
            {answer.matched} found, {answer.skipped} cannot be sent:{" "}
            <Link to={`/replays/${answer.replayId}`}>how far it is</Link>
          </>
        )
      }
    />
  );
}

interface ReplayChosenProps {
  /** What is chosen and listed: nobody sees what the filters hide. */
  readonly ids: string[];
  readonly forget: (ids: readonly string[]) => void;
}

function ReplayChosen({ ids, forget }: ReplayChosenProps) {
  return (
    <Replay
      label={`Send the ${ids.length} chosen again`}
      question={`${ids.length} dead letters are sent to their destinations again.`}
      selection={{ ids }}
      disabled={ids.length === 0}
      sent={() => forget(ids)}
    />
  );
}

/** When and why a call died. */
export const DEATH: readonly Column<Letter>[] = [
  {
    title: "Died",
    cell: ({ deadAt, id }) => (
      <Link to={`/dead-letters/${id}`}>
        <Time at={deadAt} />
      </Link>
    ),
  },
  { title: "Reason", cell: ({ reason }) => reason.replaceAll("_", " ") },
  { title: "Message", cell: ({ message }) => <Text most={160}>{message}</Text> },
];

interface RowsProps {
  readonly rows: readonly Letter[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (id: string, isChosen: boolean) => void;
}

function Rows({ rows, chosen, choose }: RowsProps) {
  return (
    <Table
      caption="Dead letters, the newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Choose",
          cell: ({ id, messageId, replayable }) => (
            <input
              type="checkbox"
              aria-label={`Choose ${messageId ?? id}`}
              disabled={!replayable}
              checked={chosen.has(id)}
              onChange={({ target }) => choose(id, target.checked)}
            />
          ),
        },
        ...DEATH,
        { title: "Call", cell: (letter) => <CallLink of={letter} /> },
        { title: "User", cell: ({ userId, anonymousId }) => <Text most={60}>{userId ?? anonymousId}</Text> },
        { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
        {
          title: "Sent again",
          cell: ({ replayIds }) =>
            replayIds.map((id) => (
              <div key={id}>
                <Link to={`/replays/${id}`}>{id}</Link>
              </div>
            )),
        },
      ]}
    />
  );
}

/** Of every destination unless one is given. */
export function DeadLetterList({ destinationId }: { readonly destinationId?: string }) {
  const filters = useFilters();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const given = filters.pick("destinationId", "sourceId", "reason", "from", "to", "replayId", "issueId") as {
    readonly reason?: Letter["reason"];
    readonly sourceId?: string;
    readonly replayId?: string;
    readonly issueId?: string;
  };
  const query = { ...given, ...(destinationId !== undefined && { destinationId }) };
  const list = usePaged<Letter>({
    key: ["dead-letters", query],
    load: (page) => answerOf(api.GET("/v1/dead-letters", { params: { query: { ...query, ...page } } })),
  });
  const { sourceId, replayId, ...selection } = query;
  const isOfOne = selection.destinationId !== undefined || selection.issueId !== undefined;
  const canSendAll = isOfOne && sourceId === undefined && replayId === undefined;
  const choose = (id: string, isChosen: boolean): void => {
    const others = [...chosen].filter((each) => each !== id);
    setChosen(new Set(isChosen ? [...others, id] : others));
  };
  return (
    <>
      <div className="filters">
        {destinationId === undefined && (
          <TextFilter filters={filters} name="destinationId" label="Destination id" />
        )}
        <TextFilter filters={filters} name="sourceId" label="Source id" />
        <TextFilter filters={filters} name="issueId" label="Issue id" />
        <ChoiceFilter filters={filters} name="reason" label="Reason" choices={DEAD_LETTER_REASONS} />
        <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
        <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
      </div>
      <Paged
        query={list}
        empty={emptyList(filters, "There is no dead letter", "No call has failed for good in fourteen days.")}
      >
        {(rows) => (
          <>
            <div className="row">
              <ReplayChosen
                ids={rows.flatMap(({ id }) => (chosen.has(id) ? id : []))}
                forget={(ids) => setChosen((now) => new Set([...now].filter((id) => !ids.includes(id))))}
              />
              <Replay
                label="Send all of them again"
                question="Every dead letter that the filters leave is sent to its destination again, those of further pages too."
                selection={selection}
                disabled={!canSendAll}
              />
            </div>
            {!canSendAll && (
              <p className="quiet">
                All of one destination or issue can be sent again at once, those of a source or a replay
                cannot.
              </p>
            )}
            <Rows rows={rows} chosen={chosen} choose={choose} />
          </>
        )}
      </Paged>
    </>
  );
}
