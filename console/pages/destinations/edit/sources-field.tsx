// The sources of a destination, chosen from those that there are.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "react-router";
import { answerOf, api } from "../../../api/client.ts";
import type { FieldError } from "../../../api/problem.ts";
import { ProblemNote } from "../../../elements/answer.tsx";
import { AUDIENCES_SOURCE, SourceName } from "../../../elements/source-link.tsx";
import { Text } from "../../../elements/text.tsx";
import { FieldNote } from "./field-note.tsx";
import { linesIn } from "./options.ts";

/** What is shown at once; the others are searched for. */
const MOST_SHOWN = 20;

interface Named {
  readonly id: string;
  readonly name: string;
}

function useSources(search: string) {
  return useQuery({
    queryKey: ["sources-to-choose", search],
    queryFn: () => {
      const query = { sort: "name", limit: MOST_SHOWN, ...(search !== "" && { search }) } as const;
      return answerOf(api.GET("/v1/sources", { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });
}

interface ChoiceProps {
  readonly of: Pick<Named, "id"> & Partial<Named>;
  readonly isChosen: boolean;
  readonly choose: (isChosen: boolean) => void;
}

function Choice({ choose, isChosen, of: { id, name } }: ChoiceProps) {
  return (
    <label className="switch">
      <input
        type="checkbox"
        value={id}
        checked={isChosen}
        onChange={({ target }) => choose(target.checked)}
      />{" "}
      {name === undefined ? <SourceName id={id} /> : <Text most={60}>{name}</Text>} <code>{id}</code>
    </label>
  );
}

interface SourcesFieldProps {
  readonly title: string;
  readonly hint: string | undefined;
  /** Ids, one a line. */
  readonly text: string;
  readonly problems: readonly FieldError[];
  readonly change: (text: string) => void;
}

export function SourcesField({ change, hint, problems, text, title }: SourcesFieldProps) {
  const ids = { search: useId(), note: useId() };
  const [search, setSearch] = useState("");
  const { data, error } = useSources(search.trim());
  const chosen = linesIn(text);
  const found: readonly Named[] = [AUDIENCES_SOURCE, ...(data?.data ?? [])];
  const others = chosen.filter((id) => found.every((one) => one.id !== id)).map((id) => ({ id }));
  const hasMore = data !== undefined && data.next !== null;
  return (
    <fieldset className="choices" aria-describedby={ids.note}>
      <legend>{title}</legend>
      {(hasMore || search !== "") && (
        <div className="filter">
          <label htmlFor={ids.search}>Find a source by name or id</label>
          <input
            id={ids.search}
            type="search"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            // Enter would save the form.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
        </div>
      )}
      {[...others, ...found].map((one) => (
        <Choice
          key={one.id}
          of={one}
          isChosen={chosen.includes(one.id)}
          choose={(isChosen) =>
            change((isChosen ? [...chosen, one.id] : chosen.filter((id) => id !== one.id)).join("\n"))
          }
        />
      ))}
      {hasMore && <p className="quiet">There are more: find them by name or id.</p>}
      {data?.data.length === 0 && search === "" && (
        <p>
          There is no source yet. <Link to="/sources/new">Make a source</Link> first, or choose it here later.
        </p>
      )}
      {error !== null && <ProblemNote error={error} />}
      <FieldNote id={ids.note} hint={hint} problems={problems} />
    </fieldset>
  );
}
