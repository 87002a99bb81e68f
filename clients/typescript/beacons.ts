// When a page is hidden it may never run again: what is not delivered by then goes out as copies that the browser sends by itself. The
// queue keeps its messages and goes on when the page does; of two copies Hookline takes one.
import type { Batch } from "./batch.ts";
import { encodeText } from "./encoding.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Host } from "./host.ts";
import type { Settings } from "./options.ts";
import type { StoreCalls } from "./store-calls.ts";

/** Browsers take 64 KiB in all; the bodies' own frames are part of it. */
const MAX_BEACON_BYTES = 60_000;

export interface BeaconParts {
  readonly settings: Pick<Settings, "url" | "contextJson">;
  readonly host: Pick<Host, "nowMs" | "page">;
  readonly writeKey: string;
  readonly endpoint: Pick<Endpoint, "isAccepting">;
  readonly store: Pick<StoreCalls, "mark"> | undefined;
}

interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many messages it has. */
  readonly count: number;
}

/** Bodies with messages, each no larger than a beacon may be. The write key is in the body: a beacon has no headers. */
function bodiesOf(messages: readonly string[], frame: string): Body[] {
  const bodies: Body[] = [];
  let texts: string[] = [];
  let sizeBytes = 0;
  const end = (): void => {
    if (texts.length > 0)
      bodies.push({ bytes: encodeText(`{"batch":[${texts.join()}],${frame}}`), count: texts.length });
    texts = [];
    sizeBytes = encodeText(frame).length;
  };
  end();
  for (const message of messages) {
    const bytes = encodeText(message).length + 1;
    if (sizeBytes + bytes > MAX_BEACON_BYTES) end();
    texts.push(message);
    sizeBytes += bytes;
  }
  end();
  return bodies;
}

/** Sends a copy of each message that has none yet, as far as the browser takes them. */
export function sendBeacons(parts: BeaconParts, batches: readonly Batch[]): void {
  const { host, settings, writeKey, endpoint } = parts;
  const nowMs = host.nowMs();
  const sentAt = new Date(nowMs).toISOString();
  const frame = `"context":${settings.contextJson},"sentAt":"${sentAt}","writeKey":${JSON.stringify(writeKey)}`;
  // A browser takes copies without a network, too: while nothing reaches the endpoint, they are as good as lost.
  const isLikely = host.page?.isOnline() === true && endpoint.isAccepting;
  for (const batch of batches) {
    const from = batch.copied;
    for (const { bytes, count } of bodiesOf(messagesFrom(batch, from), frame)) {
      if (!host.page?.beacon(settings.url, bytes)) break;
      batch.copied += count;
    }
    if (isLikely) markCopied(parts, batch, from, nowMs);
    else markCopied(parts, batch, 0, undefined);
    if (batch.copied < batch.count) return;
  }
}

function markCopied(
  { store }: BeaconParts,
  batch: Batch,
  from: number,
  copiedAtMs: number | undefined,
): void {
  for (const [index, entry] of batch.entries.slice(0, batch.copied).entries())
    if (index >= from) store?.mark(entry, batch.message(index), copiedAtMs);
}

function messagesFrom(batch: Batch, from: number): string[] {
  return batch.ids.slice(from).map((_, index) => batch.message(from + index));
}
