// A write key takes the place of another without a gap, step by step.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { Masked } from "../../elements/masked.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { masked } from "../../elements/visible-text.ts";
import { WithScope } from "../../elements/with-scope.tsx";

interface EndKeyProps {
  readonly id: string;
  readonly writeKey: string;
  readonly label?: string;
}

export function EndKey({ id, label = "End it", writeKey }: EndKeyProps) {
  const params = { params: { path: { id, key: writeKey } } };
  return (
    <Action
      label={label}
      question={
        <>
          Calls with <code>{masked(writeKey)}</code> are refused within a second, and lost where a program
          still sends them. It cannot be undone.
        </>
      }
      run={() => answerOf(api.DELETE("/v1/sources/{id}/write-keys/{key}", params))}
    />
  );
}

/** When somebody sent with it last, and who. */
export function LastCall({ of }: { readonly of: Schemas["FormerKey"] | undefined }) {
  if (of === undefined) return null;
  if (of.lastCallAt === null) return "no call since a newer one was added";
  const from = [of.userAgent, of.network].filter((one) => one !== null);
  return (
    <>
      last call <Time at={of.lastCallAt} />
      {from.length > 0 && (
        <>
          , from <Text most={120}>{from.join(", ")}</Text>
        </>
      )}
    </>
  );
}

interface RotateKeyProps {
  readonly of: Pick<Schemas["Source"], "formerKeys" | "id" | "writeKeys">;
  /** Has the program below written with the key. */
  readonly choose: (writeKey: string) => void;
}

export function RotateKey({ choose, of: { formerKeys, id, writeKeys } }: RotateKeyProps) {
  const [oldest = "", ...newer] = writeKeys;
  const newest = newer.at(-1);
  const add = async () => {
    const source = await answerOf(api.POST("/v1/sources/{id}/write-keys", { params: { path: { id } } }));
    choose(source.writeKeys.at(-1) ?? "");
  };
  return (
    <section aria-label="Rotate a write key">
      <h2>Rotate a write key</h2>
      <WithScope scope="write" to="To change write keys">
        <ol className="steps">
          <li>
            <Action
              label="Add a write key"
              run={add}
              done={() => "It is the last of the list. The others go on working until they are ended."}
            />
          </li>
          <li>
            Give it to each program that sends calls.{" "}
            {newest !== undefined && <Masked text={newest} what="the newest write key" />} The program below
            has it.
          </li>
          <li>
            {newest === undefined ? (
              "End the former one, once no program sends with it."
            ) : (
              <>
                Once no program sends with the former one, end it: <code>{masked(oldest)}</code> (
                <LastCall of={formerKeys[0]} />){" "}
                <EndKey id={id} writeKey={oldest} label="End the former write key" />
              </>
            )}
          </li>
          <li>
            A program that was forgotten gets <code>unknown_source</code> for each call.{" "}
            <Link to="live">Live calls</Link> show which ones still come.
          </li>
        </ol>
      </WithScope>
    </section>
  );
}
