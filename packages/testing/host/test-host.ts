import { Random } from "../random.ts";
import { inRealEvent } from "./real-event.ts";
import { VirtualHost } from "./virtual-host.ts";
import { VirtualTime } from "./virtual-time.ts";

/** A virtual host with a time of its own, which stands still until a test moves it. */
export class TestHost extends VirtualHost {
  readonly #time: VirtualTime;

  constructor() {
    const time = new VirtualTime();
    super({ time, random: new Random(1) });
    this.#time = time;
  }

  /** The number of timers that are set. */
  get timers(): number {
    return this.#time.planned;
  }

  /** The middle of each range: jitter changes no delay. */
  override random(): number {
    return 0.5;
  }

  /** Lets time pass, with all that falls due in it and what follows from that. */
  async advance(ms: number): Promise<void> {
    await settled();
    await inRealEvent(() => this.#time.runUntil(this.#time.nowMs + ms));
    await settled();
  }
}

/** Lets the event loop turn until everything that is ready has run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}
