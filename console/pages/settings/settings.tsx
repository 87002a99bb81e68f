// Who is signed in, who may use the API, and what this installation keeps and records.
import { useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Page } from "../../elements/page.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { WithScope } from "../../elements/with-scope.tsx";

const REFETCH_MS = 30_000;

const SIGN_INS: Readonly<Record<Schemas["Me"]["signIn"], string>> = {
  none: "none is needed: no token is configured, and only this machine is answered",
  token: "by a token with each request",
  session: "by a session of this browser",
};

function Myself() {
  const query = useQuery({ queryKey: ["me"], queryFn: () => answerOf(api.GET("/v1/me")) });
  return (
    <Answer query={query}>
      {({ name, scopes, session, signIn }) => (
        <Facts
          of={{
            Name: <Text>{name}</Text>,
            "May do": scopes.join(", "),
            "Signed in": SIGN_INS[signIn],
            ...(session !== null && { "The session ends": <Time at={session.endsAt} /> }),
          }}
        />
      )}
    </Answer>
  );
}

function Tokens() {
  const query = useQuery({
    queryKey: ["tokens"],
    queryFn: () => answerOf(api.GET("/v1/tokens")),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="quiet">No token is configured: HOOKLINE_API_TOKENS is not set.</p>
        ) : (
          <Table
            caption="Tokens, without the tokens themselves"
            rows={data}
            keyOf={({ name }) => name}
            columns={[
              { title: "Name", cell: ({ name }) => <Text>{name}</Text> },
              { title: "May do", cell: ({ scopes }) => scopes.join(", ") },
            ]}
          />
        )
      }
    </Answer>
  );
}

type Info = Schemas["Info"];
type Kind = Exclude<keyof Info["recorded"], "maxRows">;

const KINDS: readonly (readonly [kind: Kind, title: string])[] = [
  ["calls", "What became of calls"],
  ["attempts", "Requests"],
  ["deadLetters", "Dead letters"],
  ["refusedCalls", "Refused calls"],
  ["statistics", "Statistics"],
];

function Installation({ of: { audiences, kept, recorded, version } }: { readonly of: Info }) {
  return (
    <>
      <h2>Installation</h2>
      <Facts of={{ Version: version, "Audiences and traits": audiences ? "on" : "off" }} />
      <h2>How long topics keep records</h2>
      <Facts
        of={{
          "Calls, which can be sent again": kept.calls,
          "Dead letters": kept.deadLetters,
          "Refused calls": kept.refusedCalls,
          "Audit log": kept.auditLog,
        }}
      />
      <h2>What can be looked up here</h2>
      <p className="quiet">At most {recorded.maxRows.toLocaleString("en")} rows of each kind.</p>
      <Table
        caption="What can be looked up, and how far back"
        rows={KINDS}
        keyOf={([kind]) => kind}
        columns={[
          { title: "Records", cell: ([, title]) => title },
          { title: "Kept for", cell: ([kind]) => recorded[kind].keptFor },
          { title: "Oldest", cell: ([kind]) => <Time at={recorded[kind].oldest} /> },
          { title: "Newest", cell: ([kind]) => <Time at={recorded[kind].newest} /> },
          { title: "Read until", cell: ([kind]) => <Time at={recorded[kind].indexedUntil} /> },
        ]}
      />
    </>
  );
}

export function Settings() {
  const info = useQuery({
    queryKey: ["info"],
    queryFn: () => answerOf(api.GET("/v1/info")),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Page title="Settings">
      <h2>You</h2>
      <Myself />
      <h2>Tokens</h2>
      <WithScope scope="write" to="To see who may use the API">
        <Tokens />
      </WithScope>
      <Answer query={info}>{(of) => <Installation of={of} />}</Answer>
    </Page>
  );
}
