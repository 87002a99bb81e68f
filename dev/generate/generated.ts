/** A file that follows from others. */
export interface Generated {
  /** From the root of the repository. */
  readonly file: string;
  /** Whose match the text stands in; left out: the text is the whole file. */
  readonly place?: RegExp;
  readonly text: string;
}
