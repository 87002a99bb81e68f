// The one control service of a test file: importers see what `useControl` has started.
import { afterAll, beforeAll } from "@jest/globals";
import { type ControlOptions, type ControlService, startControl } from "./control-service.ts";

export let control: ControlService;

interface Opened {
  close(): Promise<void>;
}

/** Starts it before a file's tests, and opens what they use beside it; stops and closes both after them. */
export function useControl(
  options: ControlOptions = {},
  open: (control: ControlService) => Promise<Opened | undefined> = async () => undefined,
): void {
  let opened: Opened | undefined;
  // The first to ask for it waits until Kafka runs.
  beforeAll(async () => {
    control = await startControl(options);
    opened = await open(control);
  }, 180_000);
  afterAll(async () => {
    await opened?.close();
    await control?.stop();
  }, 180_000);
}

export const createSource = async (name = "Web"): Promise<string> =>
  (await control.ask("/v1/sources", { body: { name } })).body.id;
