// Which span of time statistics are shown for. It lives in the URL.
import { type Filters, useFilters } from "./filters.tsx";
import { SPANS, type Span, spanOf } from "./steps.ts";

const NAMES = Object.keys(SPANS) as (keyof typeof SPANS)[];

export function useSpan(): { readonly filters: Filters; readonly span: Span } {
  const filters = useFilters();
  return { filters, span: spanOf(filters.get("span")) };
}

export function SpanChoice({ filters, span }: ReturnType<typeof useSpan>) {
  return (
    <fieldset className="choice">
      <legend>Shown is</legend>
      {NAMES.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={SPANS[name] === span}
          onClick={() => filters.set("span", name === "hour" ? "" : name)}
        >
          {SPANS[name].title}
        </button>
      ))}
    </fieldset>
  );
}
