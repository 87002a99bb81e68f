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
    readonly runbook: string;
  };
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (RecordingRule | AlertRule)[];
}

const RUNBOOKS = "docs/operations.md";

export interface AlertText {
  readonly alert: string;
  readonly severity: Severity;
  readonly expr: string;
  readonly for?: string;
  readonly summary: string;
  readonly description: string;
}

/** An alert with the link to its section in docs/operations.md. */
export function alertRule({ alert, severity, expr, summary, description, ...rest }: AlertText): AlertRule {
  const runbook = `${RUNBOOKS}#${alert.toLowerCase()}`;
  return { alert, expr, ...rest, labels: { severity }, annotations: { summary, description, runbook } };
}
