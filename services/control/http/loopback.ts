/** Names by which this machine addresses itself. */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether what listens there can be reached from this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return host === "::1" || LOOPBACK_HOSTS.has(host);
}
