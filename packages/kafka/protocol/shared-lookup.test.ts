import net, { type AddressInfo, type LookupFunction } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { createSharedLookup } from "./shared-lookup.ts";

type Answered = Parameters<LookupFunction>[2];

/** Lookups that the test answers. */
function byHand() {
  const asked: { hostname: string; answered: Answered }[] = [];
  const lookup: LookupFunction = (hostname, _options, answered) => void asked.push({ hostname, answered });
  return { asked, lookup: createSharedLookup(lookup) };
}

describe("looking up a broker's name", () => {
  test("is done once at a time, however many connections want it, and all of them get its answer once", () => {
    const { asked, lookup } = byHand();
    const got: unknown[] = [];
    for (let count = 0; count < 20; count += 1)
      lookup("kafka-2", { all: true }, (error) => void got.push(error?.code));
    lookup("kafka-1", { all: true }, (_error, addresses) => void got.push(addresses));
    expect(asked.map(({ hostname }) => hostname)).toEqual(["kafka-2", "kafka-1"]);
    const addresses = [{ address: "10.0.0.1", family: 4 }];
    asked[1]?.answered(null, addresses);
    expect(got).toEqual([addresses]);
    asked[0]?.answered(Object.assign(new Error("silent"), { code: "EAI_AGAIN" }), []);
    expect(got.slice(1)).toEqual(Array.from({ length: 20 }, () => "EAI_AGAIN"));
  });

  test("is done anew for who asks after the answer, and apart for who asks otherwise", () => {
    const { asked, lookup } = byHand();
    const ignored: Answered = () => undefined;
    lookup("kafka", { all: true }, ignored);
    lookup("kafka", { family: 4 }, ignored);
    asked[0]?.answered(null, []);
    lookup("kafka", { all: true }, ignored);
    expect(asked).toHaveLength(3);
  });

  test("leads node's sockets to a real address", async () => {
    const server = net.createServer((socket) => socket.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const lookup = createSharedLookup();
    const greet = () =>
      new Promise<string>((resolve, reject) => {
        const socket = net.connect({ host: "localhost", port, lookup });
        socket.on("data", (said) => resolve(String(said))).on("error", reject);
      });
    expect(await Promise.all([greet(), greet()])).toEqual(["hello", "hello"]);
    server.close();
  });
});
