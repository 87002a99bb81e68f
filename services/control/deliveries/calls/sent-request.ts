// The request that sends a call to a webhook, as it is shown: nobody who may only read can sign with it. Pure.
import { deliveryHeaders, webhookId as standardWebhookId } from "#contract";
import { MASK } from "#secrets";
import type { DestinationConfig } from "#topics";

export interface SentRequest {
  /** In the order in which they are sent, secrets masked. */
  readonly headers: Record<string, string>;
  /** For a POSIX shell; a variable stands for each secret, and the shell names the ones that are not set. */
  readonly curl: string;
}

interface Sent {
  readonly messageId: string;
  readonly body: string;
  readonly userAgent: string;
  /** When it was sent; undefined where no request is recorded. */
  readonly atMs: number | undefined;
}

type Configured = Pick<DestinationConfig, "sharedSecret" | "standardWebhooks">;
type Webhook = DestinationConfig["webhooks"][number];

/** One header: as it is shown, and as a shell makes it. */
interface Header {
  readonly name: string;
  readonly shown: string;
  readonly word: string;
}

/** As the destination is configured now: of a request only its outcome is recorded. */
export function sentRequest(webhook: Webhook, destination: Configured, sent: Sent): SentRequest {
  const headers = [
    ...staticHeaders(webhook, sent.userAgent),
    ...(destination.sharedSecret === null ? [] : [SIGNATURE]),
    ...(destination.standardWebhooks ? standardWebhooks(destination, sent) : []),
  ];
  const shown = Object.fromEntries(headers.map((header) => [header.name, header.shown]));
  return { headers: shown, curl: curlOf(webhook.url, headers, sent.body) };
}

/** A change of a destination is in force within a second; the clocks of the services may differ. */
const IN_FORCE_AFTER_MS = 5_000;

/** Whether the request of that time had these headers: none was recorded of it but its time. */
export function isAsSent(
  atMs: number | undefined,
  { updatedAtMs }: Pick<DestinationConfig, "updatedAtMs">,
): boolean {
  return atMs !== undefined && atMs >= updatedAtMs + IN_FORCE_AFTER_MS;
}

/** A variable of the shell, which names it and stops while it is not set. */
function required(variable: string, what: string): string {
  return `"\${${variable}:?${what}}"`;
}

const SECRET = required("SHARED_SECRET", "the shared secret of the destination");
const SIGNATURE: Header = {
  name: "X-Signature",
  shown: MASK,
  word: `"$(printf %s "$BODY" | openssl dgst -sha1 -hmac "$SHARED_SECRET" -r | cut -d ' ' -f 1)"`,
};

function staticHeaders({ headers }: Webhook, userAgent: string): Header[] {
  const masked = Object.fromEntries(headers.map(({ name }) => [name, MASK]));
  const all = deliveryHeaders({ body: Buffer.alloc(0), staticHeaders: masked, userAgent });
  return Object.entries(all).map(([name, shown], nth) => {
    const word = shown === MASK ? required(variableOf(name, nth), "the value of this header") : quoted(shown);
    return { name, shown, word };
  });
}

/** Names of headers may be anything that a shell would run; two of them may have the same letters. */
function variableOf(name: string, nth: number): string {
  return `HEADER_${nth + 1}_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** The signature is of the id, the time and the body, by a key that may be base64: no one-liner makes it. */
function standardWebhooks({ sharedSecret }: Configured, { atMs, messageId }: Sent): Header[] {
  const id = standardWebhookId(messageId);
  const seconds = atMs === undefined ? undefined : String(Math.floor(atMs / 1_000));
  const time = {
    shown: seconds ?? "the second in which it is sent",
    word: seconds === undefined ? '"$(date +%s)"' : quoted(seconds),
  };
  const signature = required("WEBHOOK_SIGNATURE", "v1, and the signature of id, time and body");
  return [
    { name: "webhook-id", shown: id, word: quoted(id) },
    { name: "webhook-timestamp", ...time },
    ...(sharedSecret === null ? [] : [{ name: "webhook-signature", shown: MASK, word: signature }]),
  ];
}

/** One command: what is not set ends it before anything is sent. */
function curlOf(url: string, headers: readonly Header[], body: string): string {
  const needsSecret = headers.includes(SIGNATURE);
  const lines = [
    ...(needsSecret ? [`: ${SECRET} &&`] : []),
    `BODY=${quoted(body)} &&`,
    // As the deliverer writes it; what curl would take for a pattern of several URLs is none.
    `curl -sS -i --globoff -X POST ${quoted(new URL(url).href)} \\`,
    ...headers.map(({ name, word }) => `  -H ${quoted(`${name}: `)}${word} \\`),
    '  --data-binary "$BODY"',
  ];
  return lines.join("\n");
}

/** One word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
