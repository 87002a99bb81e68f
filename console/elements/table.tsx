// A list as a table, whose rows become cards on a phone. Arrow keys move between the rows' first links or buttons.
import { Fragment, type KeyboardEvent, type ReactNode } from "react";

export interface Column<R> {
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  readonly isNumber?: boolean;
}

interface TableProps<R> {
  readonly caption: string;
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  readonly keyOf: (row: R) => string;
  /** Below a row that is opened. */
  readonly below?: (row: R) => ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const step = STEPS[event.key];
  const from = event.target instanceof Element ? event.target.closest("tr") : null;
  if (step === undefined || from === null || event.target instanceof HTMLSelectElement) return;
  const rows = [...event.currentTarget.querySelectorAll("tr[data-row]")];
  const to = rows[rows.indexOf(from) + step]?.querySelector("a, button");
  if (!(to instanceof HTMLElement)) return;
  event.preventDefault();
  to.focus();
}

export function Table<R>({ caption, rows, columns, keyOf, below }: TableProps<R>) {
  return (
    <table>
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
      <tbody onKeyDown={moveFocus}>
        {rows.map((row) => {
          const more = below?.(row);
          return (
            <Fragment key={keyOf(row)}>
              <tr data-row="">
                {columns.map(({ title, cell, isNumber }) => (
                  <td key={title} data-title={title} className={isNumber === true ? "number" : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
              {more !== undefined && (
                <tr>
                  <td colSpan={columns.length} className="below">
                    {more}
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}
