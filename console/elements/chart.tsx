// Counts over time, as lines. The numbers stand beside it as text, so the picture itself is hidden from who hears the page.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Line } from "./steps.ts";

const HEIGHT = 180;
/** By their place: who sees no colours tells them apart. */
const STROKES = [
  ["line", []],
  ["dashes", [6, 4]],
  ["dots", [2, 3]],
] as const;

/** The value of a colour of main.css, as a canvas takes it. */
function colour(element: Element, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const widthOf = ({ clientWidth }: HTMLElement): number => Math.max(clientWidth, 240);
const strokeOf = (place: number) => STROKES[place % STROKES.length] ?? STROKES[0];

function optionsOf(element: HTMLElement, lines: readonly Line[]): uPlot.Options {
  const axis = { stroke: colour(element, "quiet"), grid: { stroke: colour(element, "line"), width: 1 } };
  return {
    width: widthOf(element),
    height: HEIGHT,
    cursor: { show: false },
    legend: { show: false },
    axes: [axis, { ...axis, size: 60 }],
    scales: { y: { range: (_, __, most) => [0, Math.max(most, 1)] } },
    series: [
      {},
      ...lines.map(({ label, tone }, place) => ({
        ...{ label, width: 2, stroke: colour(element, tone) },
        dash: [...strokeOf(place)[1]],
      })),
    ],
  };
}

interface ChartProps {
  /** What is counted, and over what: "Calls an hour". */
  readonly caption: string;
  /** Starts of the steps, Unix seconds. */
  readonly starts: readonly number[];
  readonly lines: readonly Line[];
}

export function Chart({ caption, lines, starts }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [[...starts], ...lines.map(({ counts }) => [...counts])];
    const plot = new uPlot(optionsOf(element, lines), data, element);
    const resized = new ResizeObserver(() => plot.setSize({ width: widthOf(element), height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [starts, lines]);
  return (
    <figure>
      <div className="chart" ref={box} aria-hidden="true" />
      <figcaption className="quiet">
        {caption}: {lines.map(({ label }, place) => `${label} (${strokeOf(place)[0]})`).join(", ")}
      </figcaption>
    </figure>
  );
}
