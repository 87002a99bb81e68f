// Programs that send one call, in the languages of the pages about clients (docs/use/sending-calls.md), with a key and an address filled in.

interface Place {
  readonly ingest: string;
  readonly writeKey: string;
}

/** By the name of the library. JSON is a literal of each of these languages. */
export function snippetsOf({ ingest, writeKey }: Place): Readonly<Record<string, string>> {
  const key = JSON.stringify(writeKey);
  const url = JSON.stringify(ingest);
  return {
    curl: `curl ${shellWord(`${ingest}/v1/track`)} -u ${shellWord(`${writeKey}:`)} -H 'content-type: application/json' \\
  -d '{"userId":"u1","event":"Order Completed","properties":{"total":12.5}}'`,
    "@hookline/client": `import { Hookline } from "@hookline/client";

const hookline = new Hookline(${key}, { endpoint: ${url} });
hookline.track({ userId: "u1", event: "Order Completed", properties: { total: 12.5 } });
await hookline.close();`,
    "@segment/analytics-node": `import { Analytics } from "@segment/analytics-node";

const analytics = new Analytics({ writeKey: ${key}, host: ${url} });
analytics.track({ userId: "u1", event: "Order Completed", properties: { total: 12.5 } });
await analytics.closeAndFlush({ timeout: 30_000 });`,
    "hookline (Go)": `client := hookline.New(${key})
client.Endpoint = ${url}
err := client.Track(&hookline.Track{
	Event:      "Order Completed",
	UserId:     "u1",
	Properties: map[string]interface{}{"total": 12.5},
})
err = errors.Join(err, client.Close())`,
    "segment-analytics-python": `from segment.analytics.client import Client

analytics = Client(${key}, host=${url})
analytics.track("u1", "Order Completed", {"total": 12.5})
analytics.shutdown()`,
  };
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
