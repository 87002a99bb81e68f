import type { IncomingMessage, ServerResponse } from "node:http";
import type { IngestParts } from "../ingest-parts.ts";

/** As long as a caller may take for its request (CALLER_TIMES). */
const MAX_UNREAD_MS = 30_000;

/**
 * Counts an answer that its caller has not read yet among what requests hold, for as long as that takes. The connection
 * is closed when its time is over, or when there is no room for it: such an answer may be hundreds of times as large as
 * its request.
 */
export function boundUnread(
  { gate, host }: Pick<IngestParts, "gate" | "host">,
  { socket }: IncomingMessage,
  response: ServerResponse,
  bytes: number,
): void {
  // An answer that waits behind others is made all the same.
  if (socket.destroyed) return;
  const reservation = gate.reserve();
  if (!reservation.grow(bytes)) {
    socket.destroy();
    return;
  }
  const timer = host.setTimeout(() => socket.destroy(), MAX_UNREAD_MS);
  const stop = () => {
    timer.clear();
    reservation.release();
    socket.off("close", stop);
  };
  response.once("close", stop);
  // An answer that waits behind others, however many, is not told that its connection is gone.
  socket.setMaxListeners(0);
  socket.once("close", stop);
}
