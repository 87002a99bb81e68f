// Jobs that this process works on, for the topics' reader and for passes. A failed one goes to a retry topic,
// and that write may last.
import type { Claim, Settle, Step } from "#kafka";
import type { DeliveryJob } from "#topics";

/** A job that the step was given. */
export interface JobInHand {
  /** The job's outcome is durable, or it was given back. */
  readonly isOver: boolean;
}

export class JobsInHand {
  readonly #byDestination = new Map<string, Set<JobInHand>>();

  /** Follows the step from here on. */
  following(step: Step<DeliveryJob>): Step<DeliveryJob> {
    return (record, settle, claim) => {
      const over = this.#begin(record.decoded.destinationId);
      try {
        step(record, settling(settle, over), claiming(claim, over));
      } catch (thrown) {
        over();
        throw thrown;
      }
    };
  }

  /** The destination's jobs in hand now. */
  of(destinationId: string): ReadonlySet<JobInHand> {
    return new Set(this.#byDestination.get(destinationId));
  }

  #begin(destinationId: string): () => void {
    const job = { isOver: false };
    const jobs = this.#byDestination.get(destinationId) ?? new Set();
    this.#byDestination.set(destinationId, jobs.add(job));
    return () => {
      job.isOver = true;
      jobs.delete(job);
      if (jobs.size === 0) this.#byDestination.delete(destinationId);
    };
  }
}

function settling(settle: Settle, over: () => void): Settle {
  return (outcome) => {
    // A copy has no outcome of its own, and nobody is to take it for one that has.
    if (outcome.produce.length === 0 && outcome.onDurable === undefined) {
      over();
      settle(outcome);
      return;
    }
    settle({
      ...outcome,
      onDurable() {
        over();
        outcome.onDurable?.();
      },
    });
  };
}

function claiming(claim: Claim, over: () => void): Claim {
  return {
    get isOurs() {
      return claim.isOurs;
    },
    giveBack() {
      over();
      claim.giveBack();
    },
  };
}
