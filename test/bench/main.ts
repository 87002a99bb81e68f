// `npm run bench`: what each service costs, as a ratio against a bare loop in the same run, and the latency through all of them.
// Usage: npm run bench [-- cost | latency]
import { startStack } from "#stack";
import { environment } from "#support/environment";
import { benchCost } from "./cost.ts";
import { benchLatency } from "./latency.ts";

const wanted = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const stack = await startStack({ environment, log: say });
try {
  if (wanted.length === 0 || wanted.includes("cost")) await benchCost(stack, say);
  if (wanted.length === 0 || wanted.includes("latency")) await benchLatency(stack, say);
} finally {
  await stack.stop();
}
