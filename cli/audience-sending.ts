// Options of what an audience sends beside memberships.
import type { Command } from "commander";

export interface SendingOptions {
  readonly trackCalls?: boolean | undefined;
  /** false: none any more. */
  readonly sendTrait?: readonly string[] | false | undefined;
}

export function addSendingOptions(command: Command): Command {
  return command
    .option("--track-calls", "each change is sent as a track call, too: Audience Entered, Audience Exited")
    .option("--no-track-calls", "no track calls")
    .option("--send-trait <name>", "a trait that is sent along with each change; may be repeated", collected)
    .option("--no-send-trait", "no trait is sent along");
}

/** What of the body they are; of create and update. */
export function sendingOf({ sendTrait, trackCalls }: SendingOptions): object {
  return {
    ...(trackCalls !== undefined && { trackCalls }),
    ...(sendTrait !== undefined && { sendTraits: sendTrait === false ? [] : sendTrait }),
  };
}

function collected(name: string, before: readonly string[] | false | undefined): string[] {
  return [...(before || []), name];
}
