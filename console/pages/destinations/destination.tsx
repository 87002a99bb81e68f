// One destination: its head, what can be done with it, and the ways to its parts.
import { Outlet, useParams } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action, counted } from "../../elements/action.tsx";
import { Answer } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { destinationPath } from "../../elements/destination-link.tsx";
import { Page, Parts } from "../../elements/page.tsx";
import { State } from "../../elements/state.tsx";
import { type Destination as Shown, useDestinationQuery } from "./queries.ts";

/** Both are one action to React, by the time that it is done. */
const said = ({ paused }: Pick<Shown, "paused">): string =>
  paused === null ? "It is resumed: what waits is being sent." : "It is paused.";

function Actions({ id, paused }: Pick<Shown, "id" | "paused">) {
  const path = { params: { path: { id } } };
  return (
    <div className="row">
      <Action
        label="Send what waits now"
        question="Every call that waits for this destination is sent ahead of its time."
        count={async () =>
          counted(
            await answerOf(api.POST("/v1/destinations/{id}/retry", { ...path, body: { dryRun: true } })),
          )
        }
        run={() => answerOf(api.POST("/v1/destinations/{id}/retry", path))}
        done={(answer) => {
          const calls = ("retry" in answer ? answer.retry?.calls : null) ?? null;
          return calls === null ? "What waits is being sent." : `${calls} waiting calls are being sent.`;
        }}
      />
      {paused === null ? (
        <Action
          label="Pause"
          count={async () =>
            counted(
              (await answerOf(api.POST("/v1/destinations/{id}/pause", { ...path, body: { dryRun: true } })))
                .dryRun ?? {},
            )
          }
          question="Calls wait, new ones too, until it is resumed; each at most for the window of its retries."
          run={() => answerOf(api.POST("/v1/destinations/{id}/pause", { ...path, body: {} }))}
          done={said}
        />
      ) : (
        <Action
          label="Resume"
          question="What waits is sent, as fast as its endpoints take it."
          count={async () =>
            counted(
              (await answerOf(api.POST("/v1/destinations/{id}/resume", { ...path, body: { dryRun: true } })))
                .dryRun ?? {},
            )
          }
          run={() => answerOf(api.POST("/v1/destinations/{id}/resume", path))}
          done={said}
        />
      )}
    </div>
  );
}

export function Destination() {
  const { id = "" } = useParams();
  const base = destinationPath(id);
  return (
    <Answer title="Destination" query={useDestinationQuery(id)}>
      {(destination) => (
        <Page
          title={destination.name}
          beside={
            <>
              <State of={destination.health.state} />
              {destination.paused !== null && <State of="paused" />}
              {!destination.enabled && <State of="off" />}
              <Copyable text={id} what="id of the destination" />
            </>
          }
        >
          <Actions id={id} paused={destination.paused} />
          <Parts
            label="Of this destination"
            of={{
              Summary: base,
              Issues: `${base}/issues`,
              Calls: `${base}/calls`,
              Attempts: `${base}/attempts`,
              Waiting: `${base}/waiting`,
              "Dead letters": `${base}/dead-letters`,
              "Send again": `${base}/again`,
              "Test call": `${base}/test`,
              Settings: `${base}/settings`,
              Edit: `${base}/edit`,
              Secret: `${base}/secret`,
            }}
          />
          <Outlet context={destination} />
        </Page>
      )}
    </Answer>
  );
}
