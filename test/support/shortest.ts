/** The shortest of three in a row: a machine that stands still makes one of them long, a product that is slow all of them. */
export async function shortest(measure: (turn: number) => Promise<number>): Promise<number> {
  const measured: number[] = [];
  for (let turn = 1; turn <= 3; turn += 1) measured.push(await measure(turn));
  return Math.min(...measured);
}

/** How long that took, in ms. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const beganAtMs = performance.now();
  await work();
  return performance.now() - beganAtMs;
}
