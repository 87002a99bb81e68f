/** Ids that other systems make (UUIDs, ULIDs, trace ids, "host:pid/42") pass; what could break a header, a log line or a shell does not. */
const WELL_FORMED = /^[A-Za-z0-9._:+/=@-]{1,128}$/;

/** The X-Request-Id of a caller, or undefined when none was sent, or one that is not taken over. */
export function givenRequestId(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" && WELL_FORMED.test(header) ? header : undefined;
}
