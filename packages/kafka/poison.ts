/**
 * True for an error that says the bytes themselves are bad. Told by its shape, so that this package depends on no serde's
 * classes; every other decode error means that the schema could not be had yet: wait and try again.
 */
export function isPoison(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    (error as { readonly isPoison?: unknown }).isPoison === true
  );
}
