import type { Host } from "#host";

/** Resolves in a later turn of the event loop: what has arrived is read first. */
export function laterTurn(host: Pick<Host, "setImmediate">): Promise<void> {
  return new Promise((resolve) => {
    host.setImmediate(resolve);
  });
}
