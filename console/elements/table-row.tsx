// One row of a table, and what a table is made from.
import type { ReactNode, Ref } from "react";

export interface Column<R> {
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  readonly isNumber?: boolean;
}

export interface TableProps<R> {
  readonly caption: string;
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  readonly keyOf: (row: R) => string;
  /** Below a row that is opened. */
  readonly below?: (row: R) => ReactNode;
}

interface RowProps<R> extends Pick<TableProps<R>, "columns" | "below"> {
  readonly row: R;
  /** Where it stands, from 0 on, in a table that has only some of its rows. */
  readonly index?: number;
  readonly measure?: Ref<HTMLTableSectionElement>;
}

/** A body of its own, with what is opened below it: both are measured together. */
export function Row<R>({ below, columns, index, measure, row }: RowProps<R>) {
  const more = below?.(row);
  // The head is the first row.
  const place = index === undefined ? {} : { "aria-rowindex": index + 2 };
  return (
    <tbody ref={measure} data-index={index}>
      <tr data-row="" {...place}>
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
    </tbody>
  );
}
