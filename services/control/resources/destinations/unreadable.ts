import type { Table } from "#kafka";
import type { SecretBox } from "#secrets";
import type { DestinationConfig } from "#topics";
import { openSecrets } from "./secrets.ts";

/** By id, why the secrets of a destination do not open; of those that no configured key opens, as the table has them from now on. */
export function followUnreadable(
  table: Pick<Table<DestinationConfig>, "entries" | "onChange">,
  box: SecretBox,
  nowMs: () => number,
): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  const judge = (id: string, destination: DestinationConfig | undefined): void => {
    const error = destination === undefined ? undefined : refusalOf(destination, box, nowMs());
    if (error === undefined) errors.delete(id);
    else errors.set(id, error);
  };
  for (const [id, destination] of table.entries()) judge(id, destination);
  table.onChange(judge);
  return errors;
}

function refusalOf(destination: DestinationConfig, box: SecretBox, nowMs: number): string | undefined {
  try {
    openSecrets(box, destination, nowMs);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
