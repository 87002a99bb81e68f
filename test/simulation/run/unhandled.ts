/** Tells of errors that nobody handles, until it is ended. */
export function hearUnhandled(onError: (error: string) => void): () => void {
  const hear = (reason: unknown): void =>
    onError(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
  process.on("unhandledRejection", hear);
  return () => process.off("unhandledRejection", hear);
}
