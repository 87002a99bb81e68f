// The dashboards as files for Grafana.
import { dashboards } from "../../deploy/grafana/all.ts";
import { dashboardJson } from "../../deploy/grafana/panels.ts";
import { jsonText } from "../../deploy/json-text.ts";
import type { Generated } from "./generated.ts";

export const generated: readonly Generated[] = dashboards.map((dashboard) => ({
  file: `deploy/grafana/dashboards/${dashboard.uid}.json`,
  text: `${jsonText(dashboardJson(dashboard))}\n`,
}));
