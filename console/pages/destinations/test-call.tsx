// Sends one call to every webhook of a destination now, and shows what each answered.
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { ProblemNote } from "../../elements/answer.tsx";
import { Facts } from "../../elements/facts.tsx";
import { submitting } from "../../elements/fields.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Block, Text } from "../../elements/text.tsx";
import { duration } from "../../elements/times.ts";
import { useDestination } from "./queries.ts";

const EXAMPLE = JSON.stringify(
  { type: "track", userId: "test-user", event: "Test Event", properties: { total: 12.5 } },
  undefined,
  2,
);

function Result({ of: { delivered, messageId, webhooks } }: { readonly of: Schemas["TestResult"] }) {
  return (
    <section aria-label="Answers" role="status">
      <h2>
        <State of={delivered ? "delivered" : "failed"} />
      </h2>
      <p className="quiet">
        Message id <code>{messageId}</code>
      </p>
      {webhooks.map(({ webhookId, url, outcome, reason, status, durationMs, error, response }) => (
        <div className="card" key={webhookId}>
          <h3>
            <Text>{url}</Text>
          </h3>
          <Facts
            of={{
              Outcome: <Outcome of={reason ?? outcome} status={status} />,
              Status: status ?? "–",
              Took: duration(durationMs),
              ...(error !== null && { Error: <Text most={500}>{error}</Text> }),
            }}
          />
          {response === null ? null : <Block label="Body of the answer">{response}</Block>}
        </div>
      ))}
    </section>
  );
}

export function TestCall() {
  const { id, name } = useDestination();
  const fieldId = useId();
  const [text, setText] = useState(EXAMPLE);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => {
      const call: Record<string, never> = JSON.parse(text);
      return answerOf(api.POST("/v1/destinations/{id}/test", { params: { path: { id } }, body: { call } }));
    },
  });
  return (
    <div className="beside">
      <form onSubmit={submitting(() => mutate())}>
        <label htmlFor={fieldId}>
          The call that every webhook of <Text>{name}</Text> gets, signed as any other
        </label>
        <textarea
          id={fieldId}
          rows={9}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="main" disabled={isPending}>
          {isPending ? "Sending …" : "Send the test call"}
        </button>
      </form>
      <div>
        {error !== null && <ProblemNote error={error} />}
        {data !== undefined && <Result of={data} />}
      </div>
    </div>
  );
}
