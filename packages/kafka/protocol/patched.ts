/** Whether this part of the client is patched already; from then on it is. A process may load this code twice, and the client once. */
export function isPatched(target: object, part: string): boolean {
  const mark = Symbol.for(`hookline.patched.${part}`);
  const isKnown = mark in target;
  Object.assign(target, { [mark]: true });
  return isKnown;
}
