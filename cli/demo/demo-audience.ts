// The demo's audience: a user enters it by a call, and leaves it when the window has passed.
import { until } from "../until.ts";

const AUDIENCE = { name: "Ordered Lately", definition: { event: "Order Completed", within: "60s" } };
const LIVE_TIMEOUT_MS = 60_000;
const LIVE_POLL_MS = 500;
/** The age of the call when it is sent, so that nobody has to wait for a whole minute. */
const LATE_MS = 48_000;

interface Audience {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

export interface DemoAudienceOptions {
  /** Asks the control API. */
  ask<T>(method: string, path: string, body?: object): Promise<T>;
  track(body: object): Promise<void>;
  say(line: string): void;
}

/** One of an earlier start, where the data is kept. */
async function makeAudience({ ask }: DemoAudienceOptions): Promise<string> {
  const { data } = await ask<{ data: Audience[] }>("GET", "/v1/audiences?limit=200");
  const found = data.find(({ name }) => name === AUDIENCE.name);
  return (found ?? (await ask<Audience>("POST", "/v1/audiences", AUDIENCE))).id;
}

/** Makes the audience, and lets a user enter it who leaves it 12 s later. */
export async function showAudience(options: DemoAudienceOptions): Promise<void> {
  const id = await makeAudience(options);
  const isLive = async (): Promise<boolean> =>
    (await options.ask<Audience>("GET", `/v1/audiences/${id}`)).status === "live";
  const what = "the demo's audience to be live";
  await until(isLive, { timeoutMs: LIVE_TIMEOUT_MS, pollMs: LIVE_POLL_MS, what });
  options.say('The audience "Ordered Lately" has who ordered within 60 s; "lin" did so 48 s ago:');
  const timestamp = new Date(Date.now() - LATE_MS).toISOString();
  await options.track({ userId: "lin", event: "Order Completed", timestamp, properties: { total: 20 } });
}
