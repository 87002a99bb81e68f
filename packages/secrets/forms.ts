// The forms in which endpoints send a secret back, as usual libraries write it.

/** The length of the shortest form that is masked: shorter values occur in any text by chance. */
export const SHORTEST_CHARACTERS = 4;

/** Each once. None is shorter than what occurs by chance. */
export function formsOf(secret: string): string[] {
  const cases = [secret, secret.toLowerCase(), secret.toUpperCase()];
  const texts = [...jsonForms(secret), ...htmlForms(secret), ...percentForms(secret)];
  const forms = [...cases, ...texts, Buffer.from(secret).toString("hex"), ...base64Forms(secret)];
  return forms.filter(({ length }) => length >= SHORTEST_CHARACTERS);
}

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Characters that are escaped beside those that must be: by Go and others for HTML, by PHP, by .NET; with and
 * without letters beyond ASCII.
 */
const ESCAPED_IN_JSON = [
  /[\u007f-\uffff]/g,
  /[<>&]/g,
  /[<>&\u007f-\uffff]/g,
  /[<>&'\u007f-\uffff]/g,
  /[&'+<>`\u007f-\uffff]/g,
];

/** Slashes may be escaped or not, and quotes by a number. */
function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [json, ...ESCAPED_IN_JSON.map((letters) => json.replace(letters, escaped))];
  const quoted = forms.map((form) => form.replaceAll('\\"', "\\u0022"));
  const slashed = forms.map((form) => form.replaceAll("/", "\\/"));
  return [...forms, ...quoted, ...slashed, secret.replace(/./gs, escaped)];
}

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
const decimal = (letter: string): string => `&#${letter.charCodeAt(0)};`;
const hexadecimal = (letter: string): string => `&#x${letter.charCodeAt(0).toString(16)};`;
const named = (letter: string): string => NAMES[letter] ?? decimal(letter);

/** The forms in HTML, by names and by numbers: of quotes, and of what some programs escape beside them. */
function htmlForms(secret: string): string[] {
  const apostrophes = [named, decimal, hexadecimal, () => "&#039;"].map((apostrophe) =>
    secret.replace(/[&<>"']/g, (letter) => (letter === "'" ? apostrophe(letter) : named(letter))),
  );
  const numbers = [decimal, hexadecimal].flatMap((number) =>
    [/[&<>"']/g, /["'<>&=/`]/g, /./gs].map((letters) => secret.replace(letters, number)),
  );
  const markup = secret.replace(/[&<>]/g, named);
  const quotes = secret.replace(/[&<>"']/g, (letter) =>
    /["']/.test(letter) ? decimal(letter) : named(letter),
  );
  const slashes = secret.replace(/[&<>"'/=`]/g, (letter) =>
    /['/=`]/.test(letter) ? hexadecimal(letter) : named(letter),
  );
  return [...apostrophes, ...numbers, markup, quotes, slashes];
}

/** The forms in parts of a URL and of a form. */
function percentForms(secret: string): string[] {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return [component, strict, strict.replaceAll("%20", "+"), encodeURI(secret.toWellFormed())];
}

/**
 * The forms in base64. Three bytes make four letters, so the form depends on where the secret begins within
 * three bytes. Its first and last letters are left out where its neighbours have a part in them.
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
