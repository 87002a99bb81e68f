/**
 * Whether a failure in a row is worth a line: the 1st, 2nd, 4th, 8th … so that an outage of an hour is a dozen lines and not
 * three thousand.
 */
export function isWorthLogging(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
