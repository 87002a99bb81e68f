import { createServer } from "node:net";

/** A port that is about to be bound, and how it can be moved. */
export interface WantedPort {
  /** Address that is listened on. */
  readonly host: string;
  readonly port: number;
  readonly what: string;
  readonly variable: string;
}

/** Why it cannot be bound; undefined when it can. */
function bindProblem({ host, port }: WantedPort): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function sentence({ port, what, variable }: WantedPort, problem: string): string {
  const why = problem === "EADDRINUSE" ? "is in use" : `cannot be bound (${problem})`;
  return `Port ${port} (${what}) ${why}: end what uses it, or choose another with ${variable}.`;
}

/**
 * Asks before anything is started, so that a taken port costs no time. One sentence for each that cannot be had; where one variable
 * of its own is not enough, also the one that moves all.
 */
export async function portProblems(wanted: readonly WantedPort[]): Promise<string[]> {
  const problems: string[] = [];
  const variables = new Set<string>();
  for (const one of wanted) {
    const problem = one.port === 0 ? undefined : await bindProblem(one);
    if (problem === undefined) continue;
    problems.push(sentence(one, problem));
    variables.add(one.variable);
  }
  if (variables.size > 1) problems.push("HOOKLINE_PORT_OFFSET=100 moves all of them by 100.");
  return problems;
}
