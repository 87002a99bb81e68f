// The shared secret: its rotation, step by step.
import { useId, useState } from "react";
import { answerOf, api } from "../../../api/client.ts";
import { Action } from "../../../elements/action.tsx";
import { Copyable } from "../../../elements/copyable.tsx";
import { Facts } from "../../../elements/facts.tsx";
import { Time } from "../../../elements/time.tsx";
import { WithScope } from "../../../elements/with-scope.tsx";
import { type Destination, useDestination } from "../queries.ts";
import type { Patch } from "./options.ts";
import { newSecret } from "./secret.ts";

const OVERLAPS = ["1h", "24h", "7d", "0s"] as const;

const patch = (id: string, body: Patch) =>
  answerOf(api.PATCH("/v1/destinations/{id}", { params: { path: { id } }, body }));

type AdviceProps = Pick<Destination, "sharedSecretSet" | "standardWebhooks">;

/** How the receiver goes from one secret to the other depends on whether a request can have two signatures. */
function Advice({ sharedSecretSet, standardWebhooks }: AdviceProps) {
  if (!sharedSecretSet)
    return (
      <p>
        Give it to the receiver. Until it signs here, requests come without a signature: let the receiver ask
        for one afterwards.
      </p>
    );
  return standardWebhooks ? (
    <p>
      Requests have both signatures in <code>webhook-signature</code> for the time that is chosen below, and{" "}
      <code>X-Signature</code> has the new one at once. So begin it, then give the secret to the receiver.
    </p>
  ) : (
    <p>
      Without the Standard Webhooks headers a request has one signature. So let the receiver accept both
      secrets first, and take the former from it afterwards.
    </p>
  );
}

function Rotate({ of: { id, sharedSecretSet, standardWebhooks } }: { readonly of: Destination }) {
  const ids = { secret: useId(), overlap: useId() };
  const [secret, setSecret] = useState("");
  const [overlap, setOverlap] = useState<string>("24h");
  const run = async (): Promise<void> => {
    const body = { sharedSecret: secret };
    await patch(
      id,
      standardWebhooks && sharedSecretSet ? { ...body, previousSecretValidFor: overlap } : body,
    );
    setSecret("");
  };
  return (
    <ol className="steps">
      <li>
        <label htmlFor={ids.secret}>The new secret</label>{" "}
        <input
          id={ids.secret}
          autoComplete="off"
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
        />{" "}
        <button type="button" onClick={() => setSecret(newSecret(standardWebhooks))}>
          Make one
        </button>
        {secret !== "" && (
          <p>
            Copy it now, it is never shown again: <Copyable text={secret} what="the new secret" />
          </p>
        )}
      </li>
      <li>
        <Advice {...{ sharedSecretSet, standardWebhooks }} />
        {standardWebhooks && sharedSecretSet && (
          <div className="filter">
            <label htmlFor={ids.overlap}>The former secret signs too for</label>
            <select id={ids.overlap} value={overlap} onChange={({ target }) => setOverlap(target.value)}>
              {OVERLAPS.map((one) => (
                <option key={one} value={one}>
                  {one === "0s" ? "no time" : one}
                </option>
              ))}
            </select>
          </div>
        )}
      </li>
      <li>
        <Action
          label="Sign with it from now on"
          disabled={secret === ""}
          question="Every request is signed with the new secret, those of calls that wait too."
          run={run}
          done={() => "It is in force within a second. A test call shows whether the receiver takes it."}
        />
      </li>
    </ol>
  );
}

export function Rotation() {
  const destination = useDestination();
  const { id, previousSecretValidUntil, sharedSecretSet } = destination;
  return (
    <>
      <Facts
        of={{
          "Shared secret": sharedSecretSet ? "set" : "not set: calls are not signed",
          "The former one signs until": <Time at={previousSecretValidUntil} />,
        }}
      />
      <WithScope scope="write" to="To change the secret">
        {previousSecretValidUntil !== null && (
          <Action
            label="End the former secret now"
            question="Receivers that know only the former secret refuse the calls."
            run={() => patch(id, { previousSecretValidFor: "0s" })}
          />
        )}
        <h2>{sharedSecretSet ? "Rotate it" : "Set one"}</h2>
        <Rotate of={destination} />
      </WithScope>
    </>
  );
}
