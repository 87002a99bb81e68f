// The parts of a webhook's URL that authorise a caller (decision 26).

/** A usual name in a path; a token has digits, capitals, or is longer. */
const WORD = /^(?:[a-z][a-z_.-]{0,23}|v\d{1,3})$/;

/**
 * The secrets in a URL. A caller who knows the URL may post to it (decision 26), and many servers name the
 * path that they do not know.
 */
export function secretsOfUrl(url: string): string[] {
  const { pathname = "", search = "", searchParams = [] } = URL.parse(url) ?? {};
  const parts = pathname.split("/").filter((part) => part !== "" && !WORD.test(part));
  const isWhole = parts.length === 0 && search === "";
  // `?token` has the token for its name.
  const values = [...searchParams].map(([name, value]) => (value === "" ? name : value));
  return isWhole ? [] : [`${pathname}${search}`, pathname, ...parts.flatMap(decodedToo), ...values];
}

function decodedToo(part: string): string[] {
  try {
    return [part, decodeURIComponent(part)];
  } catch {
    return [part];
  }
}
