// The place of a secret. AES-GCM authenticates data made from it beside the ciphertext (decision 26).

/** The place of a secret: it opens only in the place that it was encrypted for. */
export type SecretPlace = DestinationPlace | RequestPlace;

/** The place in a request to the control API that may come again; `claim` names the request. */
interface RequestPlace {
  readonly claim: string;
  readonly field: "body" | "answer";
}

/** The place in a destination's configuration. */
type DestinationPlace =
  | { readonly destinationId: string; readonly field: "sharedSecret" | "previousSecret" }
  | {
      readonly destinationId: string;
      readonly field: "header";
      /** Both as the record holds them, letter by letter. */
      readonly url: string;
      readonly name: string;
    };

/**
 * The format of a stored secret's authenticated data. 1: the destination's id alone, as early releases wrote;
 * it is only read. 2: the whole place.
 */
export const SECRET_FORMAT = 2;

/** The authenticated data of a format; undefined for one that this release does not know. */
export function authenticatedData(place: SecretPlace, format: number): Buffer | undefined {
  if ("claim" in place)
    return format === SECRET_FORMAT
      ? Buffer.from(JSON.stringify(["hookline-request", format, place.claim, place.field]))
      : undefined;
  if (format === 1) return Buffer.from(`destination:${place.destinationId}`);
  if (format !== SECRET_FORMAT) return undefined;
  const { destinationId, field } = place;
  const where = place.field === "header" ? [place.url, place.name] : [];
  // JSON keeps the parts apart whatever they hold; the first one is nobody else's.
  return Buffer.from(JSON.stringify(["hookline-secret", format, destinationId, field, ...where]));
}

/** Describes a place for error messages: without a URL, as its path may be a secret itself. */
export function describePlace(place: SecretPlace): string {
  if ("claim" in place) return `${place.field} of the request ${place.claim}`;
  const what = place.field === "header" ? `header ${place.name}` : place.field;
  return `${what} of destination ${place.destinationId}`;
}

export function isSamePlace(one: SecretPlace, other: SecretPlace): boolean {
  const [first, second] = [one, other].map((place) => authenticatedData(place, SECRET_FORMAT));
  return first !== undefined && second !== undefined && first.equals(second);
}
