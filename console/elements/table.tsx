// A list as a table, whose rows become cards on a phone. Arrow keys move between the rows' first links or buttons.
import { type KeyboardEvent, lazy, Suspense } from "react";
import { Row, type TableProps } from "./table-row.tsx";

export type { Column, TableProps } from "./table-row.tsx";

/** A longer table has only those of its rows that are seen: ten thousand would hold the page for seconds. */
const MOST_DRAWN = 100;
const LongRows = lazy(async () => ({ default: (await import("./long-rows.tsx")).LongRows }));

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Rows that are still to be gone by in each table: a long one draws the next row some frames after it was asked for. */
const ahead = new WeakMap<HTMLTableElement, number>();
/** Frames to wait for a row; there may be none. */
const MOST_FRAMES = 30;

function rowOf(element: EventTarget | null): Element | null {
  return element instanceof Element ? element.closest("tr[data-row]") : null;
}

function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  if (step === undefined || rowOf(event.target) === null || event.target instanceof HTMLSelectElement) return;
  event.preventDefault();
  const table = event.currentTarget;
  const waiting = ahead.get(table) ?? 0;
  ahead.set(table, waiting + step);
  if (waiting === 0) goAhead(table, 0);
}

/** Whether the table has a row there that is not drawn: the first one is its second, behind the head. */
function hasMore(table: HTMLTableElement, from: Element | undefined, step: number): boolean {
  const index = Number(from?.getAttribute("aria-rowindex") ?? 0);
  return step > 0 ? index < Number(table.getAttribute("aria-rowcount") ?? 0) : index > 2;
}

/** Goes by as many of the waiting rows as are drawn, and by the others when they are. */
function goAhead(table: HTMLTableElement, frames: number): void {
  const rows = [...table.querySelectorAll("tr[data-row]")];
  const from = rowOf(document.activeElement);
  let [at, left] = [from === null ? -1 : rows.indexOf(from), ahead.get(table) ?? 0];
  const isGone = at < 0 || frames === MOST_FRAMES;
  while (!isGone && left !== 0 && rows[at + Math.sign(left)] !== undefined) {
    at += Math.sign(left);
    left -= Math.sign(left);
  }
  const to = rows[at]?.querySelector("a, button");
  if (to instanceof HTMLElement && rows[at] !== from) to.focus();
  if (isGone || !hasMore(table, rows[at], left)) left = 0;
  ahead.set(table, left);
  if (left !== 0) requestAnimationFrame(() => goAhead(table, rows[at] === from ? frames + 1 : 0));
}

function AllRows<R>({ below, columns, keyOf, rows }: TableProps<R>) {
  return rows.map((row) => (
    <Row key={keyOf(row)} row={row} columns={columns} {...(below !== undefined && { below })} />
  ));
}

export function Table<R>(props: TableProps<R>) {
  const { caption, columns, rows } = props;
  const isLong = rows.length > MOST_DRAWN;
  const all = { ...props, rows: rows.slice(0, MOST_DRAWN) };
  return (
    <table
      className={isLong ? "long" : undefined}
      aria-rowcount={isLong ? rows.length + 1 : undefined}
      onKeyDown={moveFocus}
    >
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" className={isNumber === true ? "number" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {isLong ? (
        <Suspense fallback={<AllRows {...all} />}>
          <LongRows {...(props as unknown as TableProps<unknown>)} />
        </Suspense>
      ) : (
        <AllRows {...props} />
      )}
    </table>
  );
}
