import type { Random } from "#testing";
import type { VirtualTime } from "#testing/host";
import { ProblemError } from "../../../services/control/http/problem.ts";
import type { Desk } from "./fleet.ts";
import type { World } from "./world.ts";

/** Until it is answered; then somebody asks again. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 1_500;
const WAY_MS = { from: 1, to: 20 };

/** What a request came to: what the API answered, or undefined when it said no for good or nobody asks any more. */
type Answered<R> = (answer: R | undefined) => void;

export interface DeskClientOptions {
  /** Its chance is its own. */
  readonly name: string;
  /** Control processes that answer now. */
  readonly desks: () => readonly Desk[];
  /** How often one request is made at most; until it is answered, unless given. */
  readonly maxTries?: number;
}

/** Who asks the control API, whichever process of it answers. */
export class DeskClient {
  readonly #desks: DeskClientOptions["desks"];
  readonly #maxTries: number;
  readonly #random: Random;
  readonly #time: VirtualTime;

  constructor(
    { random, time }: World,
    { desks, maxTries = Number.POSITIVE_INFINITY, name }: DeskClientOptions,
  ) {
    this.#desks = desks;
    this.#maxTries = maxTries;
    this.#random = random.split(name);
    this.#time = time;
  }

  /** Until one of the processes has said yes or no. */
  ask<R>(work: (desk: Desk) => Promise<R>, onAnswer: Answered<R>): void {
    this.#ask(work, 1, onAnswer);
  }

  #ask<R>(work: (desk: Desk) => Promise<R>, tries: number, onAnswer: Answered<R>): void {
    const time = this.#time;
    let isOver = false;
    const over = (answer: R | undefined, isFinal: boolean): void => {
      if (isOver) return;
      isOver = true;
      patience.clear();
      if (isFinal || tries >= this.#maxTries) onAnswer(answer);
      else time.after(AGAIN_MS, () => this.#ask(work, tries + 1, onAnswer));
    };
    const patience = time.after(PATIENCE_MS, () => over(undefined, false));
    const open = this.#desks();
    const desk = open[Math.floor(this.#random.next() * open.length)];
    if (desk === undefined) return;
    desk.process.host.setTimeout(
      () => {
        work(desk).then(
          (answer) => over(answer, true),
          (thrown: unknown) => over(undefined, isNo(thrown)),
        );
      },
      this.#random.between(WAY_MS.from, WAY_MS.to),
    );
  }
}

/** Said for good: the same request would be refused again. */
function isNo(thrown: unknown): boolean {
  return thrown instanceof ProblemError && thrown.kind !== "unavailable";
}
