// Audiences beside the whole product's load.
import { requestJson } from "#support/api";
import type { Deployment } from "#support/deployment";
import { until } from "#support/until";
import { SAMPLE_EVENT } from "./calls.ts";
import { definitionsOf } from "./processor-wire.ts";

const LIVE = { timeoutMs: 300_000, what: "the audiences to be live" };

/** Resolves when they are live. Each call of the load touches five of them. */
export async function createAudiences({ controlUrl }: Deployment, count: number): Promise<void> {
  const url = `${controlUrl()}/v1/audiences`;
  for (let made = 0; made < count; ) {
    const event = made === 0 ? SAMPLE_EVENT : `Event ${made}`;
    for (const definition of definitionsOf(event).slice(0, count - made)) {
      made += 1;
      const { body, status } = await requestJson(url, { body: { name: `Audience ${made}`, definition } });
      if (status >= 300) throw new Error(`an audience cannot be made: ${status} ${JSON.stringify(body)}`);
    }
  }
  await until(async () => {
    const { body } = await requestJson<{ data: { status: string }[] }>(`${url}?status=preparing`);
    return body.data.length === 0;
  }, LIVE);
}
