// When a page is hidden it may never run again: what is not delivered by then goes out as copies that the browser sends by itself. The
// queue keeps its messages and goes on when the page does; of two copies Hookline takes one.
import type { Batch } from "./batch.ts";
import { encodeText } from "./encoding.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Host } from "./host.ts";
import type { Settings } from "./options.ts";
import type { StoreCalls } from "./store.ts";

/** Browsers take 64 KiB in all; the bodies' own frames are part of it. */
const MAX_BEACON_BYTES = 60_000;

export interface BeaconParts {
  readonly settings: Pick<Settings, "url" | "contextJson">;
  readonly host: Pick<Host, "nowMs" | "page">;
  readonly writeKey: string;
  readonly endpoint: Pick<Endpoint, "isFailing">;
  readonly store: Pick<StoreCalls, "mark"> | undefined;
}

/** Bodies with the batches' messages, each no larger than a beacon may be. The write key is in the body: a beacon has no headers. */
function bodiesOf(messages: readonly string[], frame: string): Uint8Array<ArrayBuffer>[] {
  const bodies: Uint8Array<ArrayBuffer>[] = [];
  let texts: string[] = [];
  let sizeBytes = 0;
  const end = (): void => {
    if (texts.length > 0) bodies.push(encodeText(`{"batch":[${texts.join()}],${frame}}`));
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

/** Sends a copy of each batch that has none yet, as far as the browser takes them. */
export function sendBeacons(parts: BeaconParts, batches: readonly Batch[]): void {
  const { host, settings, writeKey } = parts;
  const nowMs = host.nowMs();
  const sentAt = new Date(nowMs).toISOString();
  const frame = `"context":${settings.contextJson},"sentAt":"${sentAt}","writeKey":${JSON.stringify(writeKey)}`;
  for (const batch of batches) {
    if (batch.copiedAtMs === 0) {
      const bodies = bodiesOf(messagesOf(batch), frame);
      if (!bodies.every((body) => host.page?.beacon(settings.url, body))) return;
      batch.copiedAtMs = nowMs;
    }
    markCopied(parts, batch);
  }
}

/** A browser takes copies without a network, too: while nothing reaches the endpoint, they are as good as lost. */
function markCopied({ endpoint, host, store }: BeaconParts, batch: Batch): void {
  const isMarked = host.page?.isOnline() === true && !endpoint.isFailing;
  if (batch.isMarked === isMarked) return;
  batch.isMarked = isMarked;
  for (const [index, entry] of batch.entries.entries())
    store?.mark(entry, batch.message(index), isMarked ? batch.copiedAtMs : undefined);
}

function messagesOf(batch: Batch): string[] {
  return batch.ids.map((_, index) => batch.message(index));
}
