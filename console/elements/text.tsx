// Text that others wrote, apart from the line that it stands in.
import { visibleLine, visibleText } from "./visible-text.ts";

export function Text({ children, most }: { readonly children: string | null; readonly most?: number }) {
  if (children === null || children === "") return <span className="quiet">–</span>;
  return <bdi>{visibleLine(children, most)}</bdi>;
}

/** A text of several lines, as it came. */
export function Block({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <section className="block" aria-label={label} tabIndex={0}>
      <pre dir="ltr">{visibleText(children)}</pre>
    </section>
  );
}

export function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return <Block label={label}>{JSON.stringify(value, undefined, 2) ?? "undefined"}</Block>;
}
