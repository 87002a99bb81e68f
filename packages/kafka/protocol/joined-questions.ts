import type { Host } from "#host";

/** What is asked of one topic. */
interface Question<R> {
  readonly key: string;
  readonly answered: PromiseWithResolvers<R>;
}

/**
 * Makes one request of all questions that are asked in one turn of the event loop. A request costs the same whatever it asks for, and who looks
 * at topics from time to time looks at many. Where a joined request fails, each question is asked by itself: one topic that is gone fails only its own.
 */
export class JoinedQuestions<R> {
  readonly #ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, R>>;
  readonly #host: Pick<Host, "setImmediate">;
  #asked: Map<string, Question<R>> | undefined;

  /** `ask` answers for every key, or rejects. */
  constructor(
    ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, R>>,
    host: Pick<Host, "setImmediate">,
  ) {
    this.#ask = ask;
    this.#host = host;
  }

  ask(key: string): Promise<R> {
    const asked = this.#asked ?? this.#nextTurn();
    const question = asked.get(key) ?? { key, answered: Promise.withResolvers<R>() };
    asked.set(key, question);
    return question.answered.promise;
  }

  #nextTurn(): Map<string, Question<R>> {
    const asked = new Map<string, Question<R>>();
    this.#asked = asked;
    this.#host.setImmediate(() => {
      this.#asked = undefined;
      void this.#answer([...asked.values()]);
    });
    return asked;
  }

  async #answer(questions: readonly Question<R>[]): Promise<void> {
    try {
      const answers = await this.#ask(questions.map(({ key }) => key));
      for (const { key, answered } of questions) answered.resolve(answers.get(key) as R);
    } catch (thrown) {
      const [only, ...others] = questions;
      if (others.length === 0) only?.answered.reject(thrown);
      // One after the other: the client opens a connection for each request that finds none.
      else for (const question of questions) await this.#answer([question]);
    }
  }
}
