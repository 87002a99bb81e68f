// One case, step by step, in the product and in the naive computation: both must send the same.
import { type Case, type CaseIds, START_MS, type Step } from "./case.ts";
import { Naive, type SentFlip } from "./naive.ts";
import { compile, Product, type Rewrite } from "./product.ts";

interface Sent {
  readonly ids: CaseIds;
  readonly type: string;
  readonly name: string;
  readonly timestampMs: number;
  readonly messageId: string;
  readonly previousId: string | null;
  readonly groupId: string | undefined;
  readonly body: Record<string, unknown>;
}

/** Law: what is sent of a computation differs each time, and is numbered without a gap. */
class Alternation {
  readonly #last = new Map<string, SentFlip>();

  forget(profile: string): void {
    for (const key of [...this.#last.keys()]) if (key.startsWith(`${profile} `)) this.#last.delete(key);
  }

  check(flip: SentFlip): string | undefined {
    const key = `${flip.profile} ${flip.computation}`;
    const last = this.#last.get(key);
    this.#last.set(key, flip);
    const isFirstWrong = last === undefined && (flip.seq !== 1 || flip.text === "false");
    const isNextWrong = last !== undefined && (flip.seq !== last.seq + 1 || flip.text === last.text);
    return isFirstWrong || isNextWrong
      ? `${key}: ${JSON.stringify(last)} then ${JSON.stringify(flip)}`
      : undefined;
  }
}

/** Law: of a profile and a computation each change is later than the one before, through deletions and whatever else. */
class RisingTimes {
  readonly #lastMs = new Map<string, number>();

  check({ atMs = 0, computation, profile }: SentFlip): string | undefined {
    const key = `${profile} ${computation}`;
    const lastMs = this.#lastMs.get(key) ?? 0;
    this.#lastMs.set(key, atMs);
    return atMs > lastMs ? undefined : `${key}: a change at ${atMs} after one at ${lastMs}`;
  }
}

/** The naive computation and the product side by side. */
export class Run {
  readonly naive: Naive;
  readonly product: Product;
  readonly alternation = new Alternation();
  readonly times = new RisingTimes();
  nowMs = START_MS;
  /** Calls from before a merge can be read again. */
  isLogKept = false;
  readonly #sent: Sent[] = [];
  #order = 0;

  constructor(given: Case, product: Product) {
    this.naive = new Naive(given);
    this.product = product;
  }

  #receive(sent: Sent): void {
    const { body, groupId, ids, messageId, name, previousId, timestampMs, type } = sent;
    this.nowMs += 1;
    const receivedAtMs = this.nowMs;
    this.#order += 1;
    if (ids.userId !== null) {
      const merged = [...(ids.anonymousId === null ? [] : [`anon:${ids.anonymousId}`])];
      if (previousId !== null) merged.push(previousId, `anon:${previousId}`);
      for (const from of merged) this.naive.merge(from, ids.userId, this.nowMs);
    }
    const atMs = Math.min(timestampMs, receivedAtMs);
    const { userId } = ids;
    const counted = { type, name, atMs, receivedAtMs, order: this.#order, body, userId };
    const naive = { ids, messageId, call: counted, groupId };
    this.naive.call(naive, this.nowMs);
    if (groupId !== undefined) this.naive.callOfAccount(naive, groupId, this.nowMs);
    const call = {
      ...ids,
      type,
      name,
      sourceId: "src",
      messageId,
      timestampMs,
      receivedAtMs,
      previousId,
      groupId: groupId ?? null,
      body,
    };
    this.product.call(call, this.nowMs);
    if (groupId !== undefined) this.product.callOfAccount(call, groupId, this.nowMs);
  }

  #call({ data, groupId, ids, lateMs, name, type }: Step & { kind: "call" }): void {
    // Rounded, so that late calls share their times.
    const timestampMs = lateMs === 0 ? this.nowMs + 1 : Math.floor((this.nowMs - lateMs) / 20_000) * 20_000;
    const body = type === "identify" || type === "group" ? { traits: data } : { properties: data };
    const sent: Sent = {
      ids,
      type,
      name,
      timestampMs,
      messageId: `m${this.#sent.length}`,
      previousId: null,
      groupId,
      body,
    };
    this.#sent.push(sent);
    this.#receive(sent);
  }

  #clock(nowMs: number): void {
    this.nowMs = Math.max(this.nowMs, nowMs);
    this.naive.clock(this.nowMs);
    this.product.clock(this.nowMs);
  }

  #alias({ from, to }: Step & { kind: "alias" }): void {
    const ids = { userId: to, anonymousId: null };
    const messageId = `alias ${this.#order}`;
    const alias = { type: "alias", name: "", timestampMs: this.nowMs, groupId: undefined, body: {} };
    this.#receive({ ...alias, ids, messageId, previousId: from });
  }

  #copy({ isStamped, of }: Step & { kind: "copy" }): void {
    const sent = this.#sent[of];
    if (sent !== undefined) this.#receive(isStamped ? { ...sent, timestampMs: this.nowMs + 1 } : sent);
  }

  #delete(userId: string): void {
    this.alternation.forget(userId);
    this.naive.delete(userId, this.nowMs);
    this.product.delete(userId, this.nowMs);
  }

  #suppress({ isSuppressed, userId }: Step & { kind: "suppress" }): void {
    this.naive.suppress(userId, isSuppressed, this.nowMs);
    this.product.suppress(userId, isSuppressed, this.nowMs);
  }

  #toDeadline(besideMs: number): void {
    const nextMs = this.product.nextDeadlineMs();
    if (Number.isFinite(nextMs)) this.#clock(nextMs + besideMs);
  }

  /** What was sent before is another life's, as after a deletion. */
  #expire(unusedMs: number): void {
    this.nowMs += 1;
    this.product.clock(this.nowMs);
    this.naive.clock(this.nowMs);
    this.product.expire(this.nowMs, unusedMs, this.isLogKept);
    for (const id of this.naive.expire(this.nowMs, unusedMs, this.isLogKept)) this.alternation.forget(id);
  }

  step(step: Step): void {
    if (step.kind === "call") this.#call(step);
    else if (step.kind === "copy") this.#copy(step);
    else if (step.kind === "alias") this.#alias(step);
    else if (step.kind === "delete") this.#delete(step.userId);
    else if (step.kind === "suppress") this.#suppress(step);
    else if (step.kind === "clock") this.#clock(this.nowMs + step.ms);
    else if (step.kind === "away") this.nowMs += step.ms;
    else if (step.kind === "deadline") this.#toDeadline(step.besideMs);
    else if (step.kind === "reload") this.product.reload();
    else if (step.kind === "expire") this.#expire(step.unusedMs);
    else {
      this.naive.list(step.userId, "list", step.isMember, this.nowMs);
      this.product.list(step.userId, "list", step.isMember, this.nowMs);
    }
  }
}

function inOrder(flips: readonly SentFlip[]): string[] {
  return flips
    .map(({ computation, isTracked, profile, seq, text, traits }) =>
      [profile, computation, seq, text, isTracked ? "tracked" : "", traits].join(" "),
    )
    .sort();
}

/** At the end all windows pass, in steps that are shorter than they are: nobody may leave late. */
export const LAST_STEPS: readonly Step[] = Array.from({ length: 30 }, () => ({ kind: "clock", ms: 11_000 }));

/** What is wrong, or undefined. `rewrite` is what a profile's record goes through when it is read again. */
export function differenceIn(given: Case, rewrite: Rewrite = (record) => record): string | undefined {
  const run = new Run(given, new Product(compile(given), rewrite));
  for (const [index, step] of [...given.steps, ...LAST_STEPS].entries()) {
    run.step(step);
    const flips = run.product.takeFlips();
    const [product, naive] = [inOrder(flips), inOrder(run.naive.takeFlips())];
    if (product.join("\n") !== naive.join("\n"))
      return `step ${index} at ${run.nowMs - START_MS}: the product sends\n  ${product.join("\n  ")}\nbut it should send\n  ${naive.join("\n  ")}`;
    for (const flip of flips) {
      const broken = run.alternation.check(flip) ?? run.times.check(flip);
      if (broken !== undefined) return `step ${index}: ${broken}`;
    }
  }
  return undefined;
}
