// Which span of time statistics are shown for, and by which step. It lives in the URL.
import { type Filters, useFilters } from "./filters.tsx";
import { SPANS, type Span, type SpanName, type Step, spanOf } from "./steps.ts";

const NAMES = Object.keys(SPANS) as SpanName[];

export function useSpan(): { readonly filters: Filters; readonly span: Span } {
  const filters = useFilters();
  return { filters, span: spanOf(filters.get("span"), filters.get("step")) };
}

export function SpanChoice({ filters, span }: ReturnType<typeof useSpan>) {
  return (
    <>
      <Choice
        legend="Shown is"
        options={NAMES.map((name) => [name, SPANS[name].title] as const)}
        chosen={span.name}
        choose={(name) => filters.set("span", name === "hour" ? "" : name)}
      />
      {SPANS[span.name].steps.length > 1 && (
        <Choice
          legend="By"
          options={SPANS[span.name].steps.map((step: Step) => [step, `the ${step}`] as const)}
          chosen={span.step}
          choose={(step) => filters.set("step", step)}
        />
      )}
    </>
  );
}

interface ChoiceProps<V extends string> {
  readonly legend: string;
  readonly options: readonly (readonly [value: V, label: string])[];
  readonly chosen: V;
  readonly choose: (value: V) => void;
}

export function Choice<V extends string>({ choose, chosen, legend, options }: ChoiceProps<V>) {
  return (
    <fieldset className="choice">
      <legend>{legend}</legend>
      {options.map(([value, label]) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
