/** Whether bytes can be read by nobody, however often it is tried; other errors pass. */
export function isUndecodable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === false;
}
