// Who is this: one user or account.
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Answer, Empty } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Page } from "../../elements/page.tsx";
import { Time } from "../../elements/time.tsx";
import { idIn } from "../../elements/user-path.ts";
import { Audiences, Calls, ComputedTraits, Events, type Profile as Known, Traits } from "./tables.tsx";

function Ids({ of: { anonymousId, groupId, ids, userId } }: { readonly of: Known }) {
  if (groupId !== null) return <Copyable text={groupId} what="group id" />;
  const all = [{ userId, anonymousId }, ...ids.data];
  return (
    <>
      <ul>
        {all.map((one) => (
          <li key={`${one.userId} ${one.anonymousId}`}>
            {one.userId === null ? "anonymous id " : "user id "}
            <Copyable text={one.userId ?? one.anonymousId} what="id of the user" />
          </li>
        ))}
      </ul>
      {!ids.isComplete && <p className="quiet">There may be more: not every profile was looked at.</p>}
    </>
  );
}

function Shown({ of }: { readonly of: Known }) {
  if (of.isSuppressed)
    return (
      <Empty title="This user is suppressed">Nothing is said of them until their suppression ends.</Empty>
    );
  return (
    <>
      {of.isIncomplete && (
        <Empty title="Not everything had room">
          Calls of further names are not counted by name, or what is marked below counts only a part.
        </Empty>
      )}
      {of.deletedAt !== null && (
        <Facts of={{ "Deleted, nothing of before is known": <Time at={of.deletedAt} /> }} />
      )}
      <h2>Traits</h2>
      <Traits of={of} />
      <h2>Computed traits</h2>
      <ComputedTraits of={of} />
      <h2>Audiences</h2>
      <Audiences of={of} />
      <h2>Events</h2>
      <Events of={of} />
      {of.groupId === null && (
        <>
          <h2>Last calls</h2>
          <Calls of={of} />
        </>
      )}
      <h2>Ids</h2>
      <Ids of={of} />
    </>
  );
}

/** Looking through calls and profiles is work for control, so it is asked once, and again when somebody asks. */
export function Profile() {
  const id = idIn(useLocation().pathname);
  const query = useQuery({
    queryKey: ["profile", id],
    queryFn: () => answerOf(api.GET("/v1/profiles/{id}", { params: { path: { id } } })),
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title={id.startsWith("group:") ? `Account ${id.slice("group:".length)}` : `User ${id}`}
      beside={
        <button type="button" disabled={query.isFetching} onClick={() => void query.refetch()}>
          Look again
        </button>
      }
    >
      <Answer query={query}>{(profile) => <Shown of={profile} />}</Answer>
    </Page>
  );
}
