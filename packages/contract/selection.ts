// Which calls a destination takes by its lists of types and events (contract 4.3, 4.4, 5.1).
import { isIntegrationEnabled } from "./integrations.ts";
import type { PassedOverReason } from "./reasons/drops.ts";

export interface Selection {
  readonly callTypes: readonly string[] | null;
  readonly events: readonly string[] | null;
}

/** Selects every call. */
export const TAKES_ALL = { callTypes: null, events: null } as const satisfies Selection;

/** The options of a destination that are looked at here. */
export const SELECTION_FIELDS = Object.keys(TAKES_ALL) as readonly (keyof Selection)[];

interface SelectedCall {
  readonly type: string;
  readonly event: string | null;
}

/** Deletion requests notify every destination of the source, whatever calls it takes (contract 5.1). */
export function isAlwaysSent({ type }: Pick<SelectedCall, "type">): boolean {
  return type === "delete";
}

export function takesType({ callTypes }: Pick<Selection, "callTypes">, call: Pick<SelectedCall, "type">) {
  return callTypes === null || isAlwaysSent(call) || callTypes.includes(call.type);
}

/** The list names track calls; calls of other types have no event and are not its business (contract 4.4). */
export function takesEvent({ events }: Pick<Selection, "events">, { type, event }: SelectedCall): boolean {
  return events === null || type !== "track" || events.includes(event ?? "");
}

/** Why the call's integrations, or the destination's lists, keep it from the destination; undefined: nothing of these does. In the order in which routers look. */
export function whyNotSelected(
  call: SelectedCall & { readonly integrations: Readonly<Record<string, boolean>> },
  selection: Selection,
): PassedOverReason | undefined {
  if (!isIntegrationEnabled(call.integrations)) return "integration_off";
  if (!takesType(selection, call)) return "call_type_off";
  return takesEvent(selection, call) ? undefined : "event_off";
}
