import { lookup } from "node:dns/promises";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { emptyResponse, startRawServer } from "#support/raw-server";
import { scratchFolder } from "#support/scratch-folder";
import { type NameServer, startNameServer } from "./fixtures/name-server.ts";
import { createEgress } from "./index.ts";
import { createNameService, type NameService, type NameServiceOptions } from "./name-service.ts";

const folder = scratchFolder();
const hostsPath = join(folder, "hosts");
let server: NameServer;
let service: NameService | undefined;

beforeAll(async () => {
  writeFileSync(hostsPath, "192.0.2.7 printer.office.test\n");
  server = await startNameServer((name, type) => {
    if (name.includes("silent")) return "silent";
    if (name === "broken.test") return "broken";
    if (name === "half.test") return type === "A" ? ["192.0.2.3"] : "silent";
    if (name === "mute6.test") return type === "A" ? "unknown" : "silent";
    if (name === "six.test") return type === "AAAA" ? ["2001:db8::6"] : [];
    if (name === "both.test") return type === "A" ? ["192.0.2.1", "192.0.2.2"] : ["2001:db8::1"];
    return name === "alive.test" ? (type === "A" ? ["127.0.0.1"] : []) : "unknown";
  });
});
afterAll(() => {
  server.close();
});
afterEach(() => service?.close());

/** Patience for names that shall fail soon, and for names that shall not fail before the test ends them. */
const BRIEF = { timeout: 100, maxTimeout: 100, tries: 1, otherFamily: 10 };
const PATIENT = { timeout: 300_000, maxTimeout: 300_000, tries: 1, otherFamily: 300_000 };

/** A name service that asks the server above, and the names for which it asked the system. */
function setup(options: Partial<NameServiceOptions> = {}) {
  const asked: string[] = [];
  service = createNameService({
    host: systemHost,
    patience: PATIENT,
    servers: [server.address],
    hostsPath,
    lookup: async (hostname) => {
      asked.push(hostname);
      return [{ address: "192.0.2.99", family: 4 }];
    },
    ...options,
  });
  return { asked, resolve: service.resolve };
}

const addresses = async (answer: ReturnType<NameService["resolve"]>) =>
  (await answer).map(({ address }) => address);

describe("a name", () => {
  test("gets every address of both families from the name servers", async () => {
    const { asked, resolve } = setup();
    expect(await resolve("both.test")).toEqual([
      { address: "192.0.2.1", family: 4 },
      { address: "192.0.2.2", family: 4 },
      { address: "2001:db8::1", family: 6 },
    ]);
    expect(await addresses(resolve("six.test"))).toEqual(["2001:db8::6"]);
    expect(asked).toEqual([]);
  });

  test("of the hosts file is not asked for anywhere", async () => {
    const { asked, resolve } = setup();
    for (const name of ["printer.office.test", "Printer.Office.TEST", "printer.office.test."]) {
      expect(await addresses(resolve(name))).toEqual(["192.0.2.7"]);
    }
    expect(asked).toEqual([]);
    expect(server.questions.filter((question) => question.includes("printer"))).toEqual([]);
  });

  test("without an answer for IPv6 is used with what there is", async () => {
    const { resolve } = setup({ patience: { ...PATIENT, otherFamily: 10 } });
    expect(await addresses(resolve("half.test"))).toEqual(["192.0.2.3"]);
  });

  test("that the servers don't know, or of a single label, is asked for at the system, which may complete it", async () => {
    const { asked, resolve } = setup();
    expect(await addresses(resolve("hooks.my-namespace"))).toEqual(["192.0.2.99"]);
    expect(await addresses(resolve("receiver"))).toEqual(["192.0.2.99"]);
    expect(asked).toEqual(["hooks.my-namespace", "receiver"]);
    expect(server.questions.filter((question) => question.startsWith("receiver"))).toEqual([]);
  });

  test.each(["broken.test", "silent.test", "mute6.test"])(
    "that no server could answer for, %s, costs the system no thread",
    async (name) => {
      const { asked, resolve } = setup({ patience: BRIEF });
      await expect(resolve(name)).rejects.toMatchObject({ code: "NAME_NOT_RESOLVED" });
      expect(asked).toEqual([]);
    },
  );
});

describe("names that never answer", () => {
  const silent = Array.from({ length: 50 }, (_, index) => `silent-${index}.test`);

  test("delay neither another name, nor the system's lookups, nor its files", async () => {
    const { resolve } = setup({
      lookup: (hostname) => lookup(hostname, { all: true }),
    });
    let ended = 0;
    const pending = silent.map((name) => resolve(name).catch(() => (ended += 1)));
    expect(await addresses(resolve("alive.test"))).toEqual(["127.0.0.1"]);
    expect(await addresses(resolve("localhost"))).toContain("127.0.0.1");
    expect(await readFile(hostsPath, "utf8")).toBe(readFileSync(hostsPath, "utf8"));
    // All of it came to its end while every one of the fifty was still waiting.
    expect(ended).toBe(0);
    service?.close();
    await Promise.all(pending);
    expect(ended).toBe(silent.length);
  });

  test("delay no request to another endpoint", async () => {
    const { resolve } = setup();
    const endpoint = await startRawServer((socket) => socket.write(emptyResponse(200)));
    const egress = createEgress({ allowCidrs: ["127.0.0.1"], resolve });
    let ended = 0;
    const post = async (name: string) => {
      const url = `http://${name}:${endpoint.port}/`;
      const result = await egress.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs: 300_000 });
      ended += 1;
      return result;
    };
    const pending = silent.map(post);
    expect(await post("alive.test")).toMatchObject({ status: 200 });
    expect(ended).toBe(1);
    service?.close();
    for (const result of await Promise.all(pending)) expect(result).toMatchObject({ failure: "dns" });
    await egress.close();
    await endpoint.close();
  });

  test("at the system hold up no name that the servers know", async () => {
    const asked: string[] = [];
    const { resolve } = setup({
      lookup: (hostname) => {
        asked.push(hostname);
        return new Promise(() => undefined);
      },
    });
    for (let count = 0; count < 50; count += 1) resolve(`hang${count}`).catch(() => undefined);
    expect(await addresses(resolve("alive.test"))).toEqual(["127.0.0.1"]);
    // One thread at a time, so that the process keeps one for its own lookups.
    expect(asked).toEqual(["hang0"]);
  });
});
