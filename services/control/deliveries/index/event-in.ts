/** Where delivered bodies of track calls begin, unless the sender gave keys like array indexes; the name comes soon after it. */
const TRACK = Buffer.from('"version":1,"type":"track"');
const EVENT = '"event":"';
const LOOKED_AT_BYTES = 8_192;

/** The name of a track call, found in the beginning of its delivered body; undefined where it is not there. */
export function eventIn(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const at = bytes.indexOf(TRACK);
  if (at === -1) return undefined;
  const text = bytes.subarray(at, at + LOOKED_AT_BYTES).toString();
  const start = text.indexOf(EVENT);
  if (start === -1) return undefined;
  const from = start + EVENT.length;
  const end = endOf(text, from);
  return end === undefined ? undefined : (JSON.parse(`"${text.slice(from, end)}"`) as string);
}

/** The quote that ends a JSON string; undefined where the text ends before it. */
function endOf(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at += 1;
  }
  return undefined;
}
