import type { Serde } from "#serde";
import type { RecordTypes, Topic } from "#topics";

/** Whether bytes can be read by nobody, however often it is tried; other errors pass. */
export function isUndecodable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === false;
}

/** Undefined for bytes that nobody can read. */
export async function decodedIfReadable<R extends keyof RecordTypes>(
  serde: Pick<Serde, "decode">,
  topic: Topic<R>,
  value: Buffer,
): Promise<RecordTypes[R] | undefined> {
  try {
    return await serde.decode(topic, value);
  } catch (error) {
    if (isUndecodable(error)) return undefined;
    throw error;
  }
}
