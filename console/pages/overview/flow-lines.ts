// Where the lines of the flow's picture go, and how broad they are; from numbers alone.
import type { Schemas } from "../../api/client.ts";

/** Of a name on either side, which the styles give the same. */
export const ROW_PX = 64;
const THINNEST = 1;
const BROADEST = 8;

type Flow = Pick<Schemas["Flow"], "sources" | "destinations" | "flows">;

export interface Line {
  readonly key: string;
  /** In a box that is 100 wide. */
  readonly curve: string;
  readonly width: number;
  /** A colour, which the names beside it say in words. */
  readonly tone: "good" | "bad" | "wait" | "idle";
}

export function linesOf({ destinations, flows, sources }: Flow, minutes: number): readonly Line[] {
  const rowOf = (all: readonly { readonly id: string }[]) => new Map(all.map(({ id }, row) => [id, row]));
  const [from, to] = [rowOf(sources), rowOf(destinations)];
  return flows.flatMap(({ dead, destinationId, sent, sourceId }) => {
    const [row, other] = [from.get(sourceId), to.get(destinationId)];
    if (row === undefined || other === undefined) return [];
    const { isStuck = false } = destinations[other] ?? {};
    const tone = dead > 0 ? "bad" : isStuck ? "wait" : sent > 0 ? "good" : "idle";
    const [y, otherY] = [middleOf(row), middleOf(other)];
    const curve = `M0 ${y} C50 ${y} 50 ${otherY} 100 ${otherY}`;
    return [{ key: `${sourceId} ${destinationId}`, curve, width: widthOf(sent / minutes), tone }];
  });
}

function middleOf(row: number): number {
  return row * ROW_PX + ROW_PX / 2;
}

/** A tenfold rate is two broader. */
function widthOf(rate: number): number {
  return Math.min(BROADEST, THINNEST + 2 * Math.log10(1 + rate));
}

/** In words: 1,200/min, 0.4/min, 0. */
export function perMinute(calls: number, minutes: number): string {
  if (calls === 0) return "0";
  const rate = calls / minutes;
  const shown = rate >= 10 ? Math.round(rate).toLocaleString("en") : rate.toFixed(1);
  return `${shown}/min`;
}
