/** One rule of a group, in the form that Prometheus reads. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/** `page` wakes somebody, `ticket` is looked at within a day, `info` is for those whose destination it is; `none` always fires. */
export type Severity = "page" | "ticket" | "info" | "none";

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long `expr` has to hold, as Prometheus writes durations. */
  readonly for?: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    /** Section of the page that says what to do. */
    readonly runbook_url: string;
    /** Of the Grafana that the external label `grafana_url` names; without it the path alone. */
    readonly dashboard_url: string;
  };
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (RecordingRule | AlertRule)[];
}

const RUNBOOKS = "https://github.com/hookline/hookline/blob/main/docs/operate/operations.md";
const GRAFANA = "{{ $externalLabels.grafana_url }}";

export interface AlertText {
  readonly alert: string;
  readonly severity: Severity;
  readonly expr: string;
  readonly for?: string;
  readonly summary: string;
  readonly description: string;
}

/**
 * Counters that grew within the hour. What a process counts at its start is there before its first scrape, which `increase` does not see:
 * a counter that was not there an hour ago counts from 0.
 */
export function grown(counter: string, by = ""): string {
  return `sum by (${by}) (increase(${counter}[1h])) > 0 or sum by (${by}) (${counter} unless ${counter} offset 1h) > 0`;
}

/** An alert with the links to its section in docs/operate/operations.md and to a dashboard, by its uid. */
export function alertRule(
  { alert, severity, expr, summary, description, ...rest }: AlertText,
  dashboard: string,
): AlertRule {
  const links = {
    runbook_url: `${RUNBOOKS}#${alert.toLowerCase()}`,
    dashboard_url: `${GRAFANA}/d/${dashboard}`,
  };
  return { alert, expr, ...rest, labels: { severity }, annotations: { summary, description, ...links } };
}
