/**
 * True for an error that says the bytes themselves are bad, as the serde's errors do by `canRetry: false`. Told by its shape,
 * because errors may come from another realm; any other decode error means that the schema could not be had yet: wait, try again.
 */
export function isPoison(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    (error as { readonly canRetry?: unknown }).canRetry === false
  );
}
