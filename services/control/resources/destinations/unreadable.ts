import type { Table } from "#kafka";
import type { SecretBox } from "#secrets";
import type { DestinationConfig } from "#topics";
import type { DestinationListing } from "./configured.ts";
import { openSecrets } from "./secrets.ts";

interface Judged {
  readonly listing: Pick<DestinationListing, "peek" | "rows">;
  readonly table: Pick<Table<DestinationConfig, unknown>, "onChange">;
  readonly box: SecretBox;
  nowMs(): number;
  /** Ends the look at all of them. */
  readonly signal: AbortSignal;
}

export interface Unreadable {
  /** Ids of destinations whose secrets no configured key opens, as far as they were looked at; with each change from now on. */
  readonly ids: ReadonlySet<string>;
  /** Resolves when all were looked at: opening a secret takes some microseconds, and there may be a million. */
  readonly judged: Promise<void>;
  /** Why it does not open; undefined when it does. */
  errorOf(id: string): string | undefined;
}

export function followUnreadable(judged: Judged): Unreadable {
  const { listing, signal, table } = judged;
  const ids = new Set<string>();
  const errorOf = (id: string) => refusalOf(listing.peek(id), judged);
  function judge(id: string): void {
    if (errorOf(id) === undefined) ids.delete(id);
    else ids.add(id);
  }
  table.onChange(judge);
  async function judgeAll(): Promise<void> {
    for await (const rows of listing.rows({ atOnce: JUDGED_A_TURN })) {
      if (signal.aborted) return;
      for (const { id } of rows) judge(id);
    }
  }
  return { ids, judged: judgeAll(), errorOf };
}

const JUDGED_A_TURN = 200;

function refusalOf(
  destination: DestinationConfig | undefined,
  { box, nowMs }: Pick<Judged, "box" | "nowMs">,
): string | undefined {
  if (destination === undefined) return undefined;
  try {
    openSecrets(box, destination, nowMs());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
