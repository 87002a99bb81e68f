/** One entry of a closed list of reasons, for the people who read it in an answer, a log line or a metric. */
export interface Reason {
  /** A clause: what has happened. */
  readonly meaning: string;
  /** The remedy. */
  readonly action: string;
}

export type Reasons<R extends string> = Readonly<Record<R, Reason>>;

/** The list's names, in its order: labels of metrics and values of API schemas are made from them. */
export function reasonsOf<R extends string>(reasons: Reasons<R>): readonly R[] {
  return Object.keys(reasons) as R[];
}
