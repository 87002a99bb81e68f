// Every option of a destination and its webhooks, as fields; what is typed is compared with what was there before.

import { Fragment, useState } from "react";
import type { Schemas } from "../../../api/client.ts";
import type { FieldError } from "../../../api/problem.ts";
import { OptionField, problemsOf } from "./field.tsx";
import { FilterTest } from "./filter-test.tsx";
import {
  changesOf,
  OPTION_NAMES,
  OPTIONS,
  type Optioned,
  type OptionName,
  type Patch,
  type Texts,
  textsOf,
} from "./options.ts";
import { WebhookFields } from "./webhook-fields.tsx";
import { type WebhookText, webhooksPatch, webhookTexts } from "./webhooks.ts";

const GROUPS = {
  general: "General",
  selection: "Which calls it gets",
  sending: "How they are sent",
};

type Before = Optioned & Pick<Schemas["Destination"], "webhooks">;

interface Typed {
  readonly texts: Texts;
  readonly webhooks: readonly WebhookText[];
}

/** What was typed, beside what was there before. It begins with `first`, or with that. */
export function useTyped(before: Before, first?: Typed) {
  const [texts, setTexts] = useState(() => first?.texts ?? textsOf(before));
  const [webhooks, setWebhooks] = useState(() => first?.webhooks ?? webhookTexts(before));
  const changes = [changesOf(before, texts), webhooksPatch(before, webhooks)];
  return {
    ...{ texts, webhooks, setWebhooks },
    setText: (name: OptionName, text: string) => setTexts({ ...texts, [name]: text }),
    patch: Object.assign({}, ...changes.map(({ patch }) => patch)) as Patch,
    problems: changes.flatMap(({ problems }) => problems),
  };
}

function MissingFields({ problems }: { readonly problems: readonly FieldError[] }) {
  const shown = [...OPTION_NAMES, "webhooks"].flatMap((name) => problemsOf(problems, name));
  const others = problems.filter((problem) => !shown.includes(problem));
  return others.map(({ path, message }) => (
    <p className="bad" key={`${path} ${message}`}>
      {path}: {message}
    </p>
  ));
}

interface AllFieldsProps {
  readonly form: ReturnType<typeof useTyped>;
  /** What cannot be read, and what control has refused. */
  readonly problems: readonly FieldError[];
}

export function AllFields({ form, problems }: AllFieldsProps) {
  return (
    <>
      {Object.entries(GROUPS).map(([group, title]) => (
        <Fragment key={group}>
          <fieldset>
            <legend>{title}</legend>
            {OPTION_NAMES.filter((name) => OPTIONS[name].group === group).map((name) => (
              <OptionField
                key={name}
                name={name}
                text={form.texts[name]}
                problems={problems}
                change={(text) => form.setText(name, text)}
              />
            ))}
            {group === "selection" && <FilterTest texts={form.texts} />}
          </fieldset>
          {group === "general" && (
            <WebhookFields texts={form.webhooks} problems={problems} change={form.setWebhooks} />
          )}
        </Fragment>
      ))}
      <MissingFields problems={problems} />
    </>
  );
}
