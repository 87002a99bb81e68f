// Begins a deletion, a suppression, or the end of one.
import { useId, useState } from "react";
import { Link } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action, tooOld } from "../../elements/action.tsx";
import {
  affectedBy,
  CONSEQUENCES,
  REGULATION_TYPES,
  type RegulationType,
  titleOf,
  userIdsIn,
} from "./types.ts";

interface Wanted {
  readonly type: RegulationType;
  readonly text: string;
  readonly sourceId: string;
}

const NOTHING: Wanted = { type: "SUPPRESS_WITH_DELETE", text: "", sourceId: "" };

interface FieldsProps {
  readonly wanted: Wanted;
  readonly change: (changes: Partial<Wanted>) => void;
}

function Fields({ change, wanted: { sourceId, text, type } }: FieldsProps) {
  const ids = { type: useId(), users: useId(), source: useId() };
  return (
    <>
      <div className="filters">
        <div className="filter">
          <label htmlFor={ids.type}>What is to be done</label>
          <select
            id={ids.type}
            value={type}
            onChange={({ target }) => {
              const chosen = REGULATION_TYPES.find(([one]) => one === target.value);
              if (chosen !== undefined) change({ type: chosen[0] });
            }}
          >
            {REGULATION_TYPES.map(([one, title]) => (
              <option key={one} value={one}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <div className="filter">
          <label htmlFor={ids.source}>Source id, for one source alone</label>
          <input
            id={ids.source}
            value={sourceId}
            onChange={({ target }) => change({ sourceId: target.value })}
          />
        </div>
      </div>
      <label htmlFor={ids.users}>User ids, one a line</label>
      <textarea
        id={ids.users}
        rows={5}
        spellCheck={false}
        value={text}
        onChange={({ target }) => change({ text: target.value })}
      />
    </>
  );
}

export function Begin() {
  const [wanted, setWanted] = useState(NOTHING);
  const { sourceId, text, type } = wanted;
  const subjectIds = userIdsIn(text);
  const source = sourceId.trim();
  const ask = (options: { readonly dryRun?: true }) => {
    const of = { regulationType: type, subjectType: "USER_ID", subjectIds } as const;
    const body = { ...of, ...(source !== "" && { sourceId: source }), ...options };
    return answerOf(api.POST("/v1/regulations", { body }));
  };
  const run = async () => {
    const answer = await ask({});
    // What was typed meanwhile is for the next one.
    setWanted((now) => (now === wanted ? NOTHING : now));
    return answer;
  };
  const count = async () => {
    const tried = await ask({ dryRun: true });
    if (!("notKnown" in tried)) throw tooOld();
    return (
      <ul>
        {affectedBy(tried).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    );
  };
  return (
    <section aria-label="Begin one">
      <h2>Begin one</h2>
      <Fields wanted={wanted} change={(changes) => setWanted({ ...wanted, ...changes })} />
      <Action
        label="Begin it"
        disabled={subjectIds.length === 0}
        question={
          <>
            <p>
              {titleOf(type)}: {subjectIds.length} {subjectIds.length === 1 ? "user" : "users"}
              {source === "" ? ", in the whole workspace" : ", in one source"}.
            </p>
            <p>{CONSEQUENCES[type]}</p>
          </>
        }
        count={count}
        run={run}
        done={(answer) =>
          "id" in answer && (
            <>
              It is durable, and goes on by itself: <Link to={answer.id}>how far it is</Link>
            </>
          )
        }
      />
    </section>
  );
}
