// Where a secret belongs. What AES-GCM authenticates beside the ciphertext is made of it (decision 25).

/** Where a secret belongs: it opens in the very place that it was encrypted for, in no other. */
export type SecretPlace = DestinationPlace | RequestPlace;

/** Of a request to the control API that may come again; `claim` names the request. */
interface RequestPlace {
  readonly claim: string;
  readonly field: "body" | "answer";
}

/** Of a destination's configuration. */
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
 * How the authenticated data of a stored secret is made. 1: of the destination's id alone, as early releases wrote; it is
 * read, and never written any more. 2: of the whole place.
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

/** For error messages: no URL, as its path may be a secret itself. */
export function describePlace(place: SecretPlace): string {
  if ("claim" in place) return `${place.field} of the request ${place.claim}`;
  const what = place.field === "header" ? `header ${place.name}` : place.field;
  return `${what} of destination ${place.destinationId}`;
}

export function isSamePlace(one: SecretPlace, other: SecretPlace): boolean {
  const [first, second] = [one, other].map((place) => authenticatedData(place, SECRET_FORMAT));
  return first !== undefined && second !== undefined && first.equals(second);
}
