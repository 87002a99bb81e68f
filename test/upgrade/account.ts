/** What became of the calls that were answered 200. */
export interface Account {
  readonly accepted: number;
  /** Users whose call, or whose coming into the audience, was not told to its webhook. */
  readonly lost: readonly string[];
  /** Requests more than were needed. A receiver knows them by their messageId. */
  readonly again: number;
}

/** `arrived`: by webhook, the user of each request that came. */
export function accountOf(
  accepted: ReadonlySet<string>,
  arrived: Readonly<Record<string, readonly string[]>>,
): Account {
  const lost: string[] = [];
  let again = 0;
  for (const [webhook, users] of Object.entries(arrived)) {
    const came = new Set(users);
    lost.push(...[...accepted].filter((user) => !came.has(user)).map((user) => `${user} at ${webhook}`));
    again += users.length - came.size;
  }
  return { accepted: accepted.size, lost, again };
}
