// Requests a minute, those that delivered and those that failed. The numbers stand beside it as text, so the picture itself is hidden from who hears the page.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { attemptCounts, type Stats } from "./queries.ts";

const MINUTE_S = 60;
const HEIGHT = 180;

/** Seconds, deliveries, failures, for each minute; one without a record has none. */
function seriesOf({ from, to, data }: Stats): [number[], number[], number[]] {
  const counts = new Map(
    data.map(({ minute, attempts }) => [Date.parse(minute) / 1_000, attemptCounts(attempts)]),
  );
  const first = Math.floor(Date.parse(from) / 1_000 / MINUTE_S) * MINUTE_S;
  const length = Math.max(1, Math.ceil((Date.parse(to) / 1_000 - first) / MINUTE_S));
  const minutes = Array.from({ length }, (_, index) => first + index * MINUTE_S);
  const of = minutes.map((minute) => counts.get(minute) ?? { success: 0, all: 0 });
  return [minutes, of.map(({ success }) => success), of.map(({ success, all }) => all - success)];
}

/** The value of a colour of main.css, as a canvas takes it. */
function colour(element: Element, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function optionsOf(element: HTMLElement): uPlot.Options {
  const axis = { stroke: colour(element, "quiet"), grid: { stroke: colour(element, "line"), width: 1 } };
  return {
    width: Math.max(element.clientWidth, 240),
    height: HEIGHT,
    cursor: { show: false },
    legend: { show: false },
    axes: [axis, { ...axis, size: 60 }],
    series: [
      {},
      { label: "delivered", stroke: colour(element, "good"), width: 2 },
      { label: "failed", stroke: colour(element, "bad"), width: 2, dash: [6, 4] },
    ],
  };
}

export function Chart({ stats }: { readonly stats: Stats }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    const plot = new uPlot(optionsOf(box.current), seriesOf(stats), box.current);
    return () => plot.destroy();
  }, [stats]);
  return (
    <figure>
      <div className="chart" ref={box} aria-hidden="true" />
      <figcaption className="quiet">Requests a minute: delivered (line), failed (dashes)</figcaption>
    </figure>
  );
}
