// Takes secrets out of texts that an endpoint has had a hand in, in whatever usual form it sent them back.

/** Stands where a secret was. */
export const MASK = "********";

/** Shorter values occur in any text by chance. */
const SHORTEST_CHARACTERS = 4;

/** Replaces every secret by the mask, plain, JSON-escaped, percent-encoded, and in base64 also as a part of something longer. */
export function createMask(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.filter(({ length }) => length >= SHORTEST_CHARACTERS).flatMap(formsOf));
  // Longest first: one secret, or one form of it, may be a part of another.
  const hidden = [...forms].sort((one, other) => other.length - one.length);
  return (text) => hidden.reduce((shown, form) => shown.replaceAll(form, MASK), text);
}

function formsOf(secret: string): string[] {
  return [secret, ...jsonForms(secret), ...percentForms(secret), ...base64Forms(secret)].filter(
    ({ length }) => length >= SHORTEST_CHARACTERS,
  );
}

/** Slashes and letters beyond ASCII may be escaped or not. */
function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const forms = [json, ascii];
  return [...forms, ...forms.map((form) => form.replaceAll("/", "\\/"))];
}

/** As parts of a URL and of a form are written; the digits of %2F in either case. */
function percentForms(secret: string): string[] {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const upper = [component, strict, strict.replaceAll("%20", "+"), encodeURI(secret.toWellFormed())];
  return [...upper, ...upper.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/**
 * In base64 three bytes make four letters, so what a secret looks like depends on where it begins within three bytes. Of its first
 * and last letters those are left out that its neighbours have a part in.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.toString("base64");
  const parts = [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return letters.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const standard = [whole, whole.replace(/={1,2}$/, ""), ...parts];
  return [...standard, ...standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
