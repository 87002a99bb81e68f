// Panels as the dashboards name them, and the JSON that Grafana reads.

/** As Grafana names them. */
type Unit = "short" | "reqps" | "cps" | "s" | "percentunit" | "bytes" | "Bps";

export interface Query {
  readonly expr: string;
  /** As in "{{outcome}}". */
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  /** What it shows, and what is well: one or two sentences. */
  readonly description: string;
  readonly unit: Unit;
  /** Single numbers instead of lines over time. */
  readonly kind?: "stat";
  readonly isStacked?: boolean;
  readonly queries: readonly Query[];
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Row[];
}

const COLUMNS = 24;
const DATA_SOURCE = { type: "prometheus", uid: `\${datasource}` };
const PANEL_HEIGHT = 8;
const STAT_HEIGHT = 4;

function panelJson(panel: Panel, id: number, place: object): object {
  const { title, description, unit, kind, isStacked = false, queries } = panel;
  const custom = {
    fillOpacity: isStacked ? 30 : 5,
    showPoints: "never",
    stacking: { mode: isStacked ? "normal" : "none" },
  };
  return {
    id,
    type: kind === "stat" ? "stat" : "timeseries",
    title,
    description,
    datasource: DATA_SOURCE,
    gridPos: place,
    fieldConfig: { defaults: { unit, min: 0, ...(kind === "stat" ? {} : { custom }) }, overrides: [] },
    options:
      kind === "stat"
        ? { reduceOptions: { calcs: ["lastNotNull"] }, colorMode: "none", graphMode: "area" }
        : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + index),
      datasource: DATA_SOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}

/** The panels of a row beside each other, stats low and graphs high; four at most. */
function rowJson({ title, panels }: Row, firstId: number, y: number): { panels: object[]; height: number } {
  const width = COLUMNS / panels.length;
  const height = panels.every(({ kind }) => kind === "stat") ? STAT_HEIGHT : PANEL_HEIGHT;
  const heading = {
    id: firstId,
    type: "row",
    title,
    collapsed: false,
    gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    panels: [],
  };
  const placed = panels.map((panel, index) =>
    panelJson(panel, firstId + 1 + index, { x: index * width, y: y + 1, w: width, h: height }),
  );
  return { panels: [heading, ...placed], height: height + 1 };
}

const VARIABLES = [
  { name: "datasource", label: "Data source", type: "datasource", query: "prometheus", hide: 0 },
  {
    name: "job",
    label: "Job",
    type: "query",
    datasource: DATA_SOURCE,
    query: { query: "label_values(hookline_build_info, job)", refId: "job" },
    refresh: 2,
    includeAll: true,
    allValue: ".*hookline.*",
    current: { text: "All", value: "$__all" },
    multi: true,
    hide: 0,
  },
];

/** What Grafana reads from a file. */
export function dashboardJson({ uid, title, description, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    const { panels: placed, height } = rowJson(row, panels.length + 1, y);
    panels.push(...placed);
    y += height;
  }
  return {
    uid,
    title,
    description,
    tags: ["hookline"],
    schemaVersion: 41,
    editable: false,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    timezone: "browser",
    templating: { list: VARIABLES },
    links: [
      {
        type: "dashboards",
        tags: ["hookline"],
        title: "Hookline",
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    panels,
  };
}
