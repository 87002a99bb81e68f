import type { Host } from "#host";
import type { AudienceConfig } from "#topics";

/** Without audiences the profiles are followed for so long after somebody has needed them. */
const NEEDED_FOR_MS = 600_000;

/** Whether anybody needs the profiles. */
export class Need {
  readonly #configured: () => Iterable<Pick<AudienceConfig, "deletedAtMs">>;
  readonly #host: Pick<Host, "elapsed">;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  /** `configured` gives audiences and computed traits, deleted ones too. */
  constructor(configured: () => Iterable<Pick<AudienceConfig, "deletedAtMs">>, host: Pick<Host, "elapsed">) {
    this.#configured = configured;
    this.#host = host;
  }

  /** Somebody asks. */
  asked(): void {
    this.#askedAtMs = this.#host.elapsed();
  }

  /** Somebody has asked lately, or something is configured that people ask about. */
  get isThere(): boolean {
    if (this.#host.elapsed() - this.#askedAtMs < NEEDED_FOR_MS) return true;
    for (const { deletedAtMs } of this.#configured()) if (deletedAtMs === null) return true;
    return false;
  }
}
