import type { DeadLetter, TopicMap } from "#topics";
import type { TestStack } from "./stack.ts";
import { openWire } from "./wire.ts";

/** Every dead letter of a deployment, read from its topic. */
export async function readDeadLetters(stack: TestStack, { deadLetters }: TopicMap): Promise<DeadLetter[]> {
  const wire = openWire(stack, [deadLetters]);
  try {
    return (await wire.read(deadLetters)).flatMap(({ value }) => value ?? []);
  } finally {
    await wire.close();
  }
}
