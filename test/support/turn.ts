// For suites that take brokers away, and count seconds on the clock of the wall meanwhile: never two of them at a time
// (test/support/stack-server.ts gives the turns). Whoever imports this is put where its turn comes without waiting
// (test/jest/order.ts).
import { request } from "node:http";
import { type Stack, startStack } from "#stack";
import { environment } from "./environment.ts";
import { DETOURS } from "./outage-stack.ts";
import { STACK_URL } from "./stack.ts";

/** Longer than the longest suite of those that take turns, and the start of its stack. */
export const TURN_TIMEOUT_MS = 900_000;

export interface StackOfATurn {
  readonly brokers: 1 | 3;
  /** Where there is no test run, and a stack is started: gets lines for people. */
  readonly log?: (line: string) => void;
  /** Of the test run's server of stacks. */
  readonly url?: string | undefined;
}

interface Turn {
  /** What comes with the turn. */
  readonly said: string;
  readonly end: () => void;
}

/** Asks with a request that has no time limit; its connection is the turn. */
function takeTurnAt(url: string): Promise<Turn> {
  return new Promise((resolve, reject) => {
    const asking = request(url, (answer) => {
      // The server writes what it says at once, so it comes in one piece.
      answer.once("data", (said) => {
        if (answer.statusCode === 200) resolve({ said: String(said), end: () => asking.destroy() });
        else reject(new Error(String(said)));
      });
      answer.on("error", reject);
      answer.on("end", () => reject(new Error("no turn was given: the run says why")));
    });
    asking.on("error", reject).end();
  });
}

/** A turn with a stack whose brokers can be stopped and killed. Its `stop` ends the turn and leaves the stack to the next suite. */
export async function takeStack(options: StackOfATurn): Promise<Stack> {
  const { brokers, log = () => undefined, url = environment[STACK_URL] } = options;
  if (url === undefined) return startStack({ environment, own: true, brokers, detours: DETOURS, log });
  const { said, end } = await takeTurnAt(`${url}/turn?brokers=${brokers}`);
  const tell = async (index: number, action: string): Promise<void> => {
    const answer = await fetch(`${url}/broker?index=${index}&do=${action}`);
    if (!answer.ok) throw new Error(await answer.text());
  };
  return {
    ...(JSON.parse(said) as Omit<Stack, "broker" | "stop">),
    broker: (index) => ({
      stop: () => tell(index, "stop"),
      kill: () => tell(index, "kill"),
      start: () => tell(index, "start"),
    }),
    stop: async () => end(),
  };
}
