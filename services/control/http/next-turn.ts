import type { Host } from "#host";

/** Resolves in a later turn of the event loop: requests that wait get theirs first. */
export function nextTurn(host: Pick<Host, "setImmediate">): Promise<void> {
  return new Promise((resolve) => void host.setImmediate(resolve));
}
