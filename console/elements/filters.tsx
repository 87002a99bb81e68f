// Filters of a list, which live in the URL: a link to a filtered list shows it filtered.
import { useId, useState } from "react";
import { useSearchParams } from "react-router";
import { Empty } from "./answer.tsx";
import { submitting } from "./fields.tsx";
import { visibleLine } from "./visible-text.ts";

export interface Filters {
  /** Undefined where it is not set. */
  readonly get: (name: string) => string | undefined;
  readonly set: (name: string, value: string) => void;
  /** Those of the names that are set, as a query of the API takes them. */
  readonly pick: <N extends string>(...names: readonly N[]) => Partial<Record<N, string>>;
  readonly isAny: boolean;
}

export function useFilters(): Filters {
  const [parameters, setParameters] = useSearchParams();
  const get = (name: string): string | undefined => parameters.get(name) || undefined;
  return {
    get,
    set: (name, value) =>
      setParameters(
        (before) => {
          if (value === "") before.delete(name);
          else before.set(name, value);
          return before;
        },
        { replace: true },
      ),
    pick<N extends string>(...names: readonly N[]) {
      const given = names.flatMap((name) => {
        const value = get(name);
        return value === undefined ? [] : [[name, value] as const];
      });
      return Object.fromEntries(given) as Partial<Record<N, string>>;
    },
    isAny: [...parameters.values()].some((value) => value !== ""),
  };
}

/** What a list without a row says: `why` there is none, or that its filters may be the reason. */
export function emptyList({ isAny }: Filters, title: string, why: string) {
  return <Empty title={title}>{isAny ? "Change the filters above." : why}</Empty>;
}

interface FilterProps {
  readonly filters: Filters;
  readonly name: string;
  readonly label: string;
}

/** Counts once it is left, or Enter is pressed. */
export function TextFilter({
  filters,
  name,
  label,
  placeholder,
}: FilterProps & { readonly placeholder?: string }) {
  const id = useId();
  const current = filters.get(name) ?? "";
  const [typed, setTyped] = useState<string>();
  const apply = (): void => {
    if (typed !== undefined && typed !== current) filters.set(name, typed.trim());
    setTyped(undefined);
  };
  return (
    <form className="filter" onSubmit={submitting(apply)}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typed ?? current}
        placeholder={placeholder}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={apply}
      />
    </form>
  );
}

type Choice = string | readonly [value: string, label: string];

export function ChoiceFilter({
  filters,
  name,
  label,
  choices,
  unset = "any",
}: FilterProps & { readonly choices: readonly Choice[]; readonly unset?: string }) {
  const id = useId();
  const current = filters.get(name) ?? "";
  const named = choices.map((choice) =>
    typeof choice === "string" ? ([choice, choice.replaceAll("_", " ")] as const) : choice,
  );
  const all = [["", unset] as const, ...named];
  // A link may name what is no choice here: the list is narrowed by it all the same.
  const shown = all.some(([value]) => value === current) ? all : [...all, [current, current] as const];
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={current} onChange={({ target }) => filters.set(name, target.value)}>
        {shown.map(([value, text]) => (
          <option key={value} value={value}>
            {visibleLine(text, 60)}
          </option>
        ))}
      </select>
    </div>
  );
}
