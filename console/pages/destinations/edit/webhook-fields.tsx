// Up to five webhooks, each with its URL and the headers that are sent.
import type { FieldError } from "../../../api/problem.ts";
import { Field, problemsOf } from "./field.tsx";
import { MOST_WEBHOOKS, type WebhookText } from "./webhooks.ts";

interface WebhookFieldsProps {
  readonly texts: readonly WebhookText[];
  readonly problems: readonly FieldError[];
  readonly change: (texts: readonly WebhookText[]) => void;
}

/** As control shows a header's value that may be a secret. */
const MASK = "********";
const HEADERS_HINT = "name: value, one a line.";
const MASKED_HINT = "A masked value stays as it is for the same URL.";

export function WebhookFields({ change, problems, texts }: WebhookFieldsProps) {
  const edit = (key: number, changes: Partial<WebhookText>): void =>
    change(texts.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  const nextKey = Math.max(0, ...texts.map(({ key }) => key + 1));
  return (
    <>
      {texts.map(({ headers, key, url }, place) => (
        <fieldset className="card" key={key}>
          <legend>Webhook {place + 1}</legend>
          <Field title="URL" problems={problemsOf(problems, `webhooks[${place}].url`)}>
            {(ids) => (
              <input {...ids} value={url} onChange={({ target }) => edit(key, { url: target.value })} />
            )}
          </Field>
          <Field
            title="Headers"
            hint={headers.includes(MASK) ? `${HEADERS_HINT} ${MASKED_HINT}` : HEADERS_HINT}
            problems={problemsOf(problems, `webhooks[${place}].headers`)}
          >
            {(ids) => (
              <textarea
                {...ids}
                rows={2}
                spellCheck={false}
                value={headers}
                onChange={({ target }) => edit(key, { headers: target.value })}
              />
            )}
          </Field>
          {texts.length > 1 && (
            <button type="button" onClick={() => change(texts.filter((one) => one.key !== key))}>
              Remove webhook {place + 1}
            </button>
          )}
        </fieldset>
      ))}
      {texts.length < MOST_WEBHOOKS && (
        <button type="button" onClick={() => change([...texts, { key: nextKey, url: "", headers: "" }])}>
          Add a webhook
        </button>
      )}
    </>
  );
}
