// The parts of a header's value that a server may send back alone (decision 26).
import { SHORTEST_CHARACTERS } from "./forms.ts";

/** Shorter parts are words: true, gzip, utf-8. */
const SHORTEST_PART_CHARACTERS = 8;

/** The secrets in a header's value: all of it, what stands behind a scheme, and the values of a list of names and values. */
export function secretsOfHeader(value: string): string[] {
  const [scheme = ""] = value.split(/\s/, 1);
  const credentials = value.slice(scheme.length).trim();
  const named = value.split(/[\s;,]+/).map((pair) => /^[^=]+="?([^"]+)/.exec(pair)?.[1] ?? "");
  const parts = [credentials, ...named].filter(({ length }) => length >= SHORTEST_PART_CHARACTERS);
  return [value, ...parts, ...(scheme.toLowerCase() === "basic" ? secretsOfBasic(credentials) : [])];
}

/** Some services take a key for the user, and no password or a letter. */
function secretsOfBasic(credentials: string): string[] {
  const text = Buffer.from(credentials, "base64").toString();
  const colon = text.indexOf(":");
  const password = text.slice(colon + 1);
  return [text, password.length < SHORTEST_CHARACTERS ? text.slice(0, colon) : password];
}
