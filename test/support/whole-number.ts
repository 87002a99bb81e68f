/** The value of an option; throws an error with one clear message. */
export function wholeNumber(
  name: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new RangeError(`--${name} is not a whole number from ${min} to ${max} (it is "${text}")`);
}
