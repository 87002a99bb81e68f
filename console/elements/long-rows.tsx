// The rows of a long table that are seen, between two empty bodies as high as those that are not.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { Row, type TableProps } from "./table-row.tsx";

/** Of a row of one line, until one was measured. */
const ROW_PX = 38;
/** Heights of rows that are alike differ by fractions, as borders are drawn. */
const SAME_PX = 1;
/** So that keys find the next row also where it is not seen yet. */
const BESIDE = 10;

function Space({ columns, px }: { readonly columns: number; readonly px: number }) {
  return (
    <tbody aria-hidden="true">
      <tr>
        <td className="space" colSpan={columns} style={{ height: px }} />
      </tr>
    </tbody>
  );
}

export function LongRows({ below, columns, keyOf, rows }: TableProps<unknown>) {
  const top = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    // What stands above the table may grow or shrink at any time.
    const at = (top.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(at - scrollMargin) > 1) setScrollMargin(at);
  });
  const [rowPx, setRowPx] = useState<number>();
  // With another function the places of all rows are reckoned again, with each scroll.
  const getItemKey = useCallback(
    (index: number) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
    [rows, keyOf],
  );
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx ?? ROW_PX,
    // One that is not as high as was thought has the places of all rows behind it reckoned again.
    measureElement(element) {
      const { height } = element.getBoundingClientRect();
      return rowPx !== undefined && Math.abs(height - rowPx) < SAME_PX ? rowPx : height;
    },
    getItemKey,
    overscan: BESIDE,
    scrollMargin,
  });
  useLayoutEffect(() => {
    // The first row has no border above it; none is drawn before the window is measured.
    const [, second] = top.current?.parentElement?.querySelectorAll("tbody[data-index]") ?? [];
    if (rowPx === undefined && second !== undefined) setRowPx(second.getBoundingClientRect().height);
  });
  useLayoutEffect(() => {
    if (rowPx !== undefined) list.measure();
  }, [list, rowPx]);
  const seen = list.getVirtualItems();
  const [first, last] = [seen[0], seen.at(-1)];
  return (
    <>
      <tbody ref={top} />
      {first !== undefined && <Space columns={columns.length} px={first.start - scrollMargin} />}
      {seen.map(({ index, key }) => {
        const row = rows[index];
        const shared = { row, index, columns, measure: list.measureElement };
        return (
          row !== undefined && <Row key={String(key)} {...shared} {...(below !== undefined && { below })} />
        );
      })}
      {last !== undefined && (
        <Space columns={columns.length} px={list.getTotalSize() + scrollMargin - last.end} />
      )}
    </>
  );
}
