// What `npm start` did is there at the next one, however it ended, until one begins anew (contract 11.3).
import { rm } from "node:fs/promises";
import { afterEach, expect, test } from "@jest/globals";
import { requestJson, sendCall } from "#support/api";
import { linesForAnotherShell, type NpmStart, npmStart, temporaryCache, untilGone } from "#support/npm-start";
import { until } from "#support/until";

const READY_TIMEOUT_MS = 240_000;
const READY = /^Hookline is ready: ingest (\S+), control (\S+)$/;

let cache: string;
let started: NpmStart | undefined;

async function killAll(npm: NpmStart): Promise<void> {
  for (const pid of (await npm.processes()).keys()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // Some end because another has ended.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
  await untilGone(npm);
}

afterEach(async () => {
  if (started !== undefined) await killAll(started);
  await rm(cache, { recursive: true, force: true });
});

interface Named {
  readonly id: string;
  readonly name: string;
}

interface View {
  readonly destinations?: readonly { readonly state: string }[];
}

/** `npm start`, ready, and what it has. */
async function start(...args: readonly string[]) {
  const npm = npmStart({ HOOKLINE_CACHE_DIR: cache }, { args });
  started = npm;
  const [, ingestUrl = "", controlUrl = ""] = await npm.untilLine(READY, READY_TIMEOUT_MS);
  const exported = (await linesForAnotherShell(npm)).join("\n");
  const idOf = (name: string): string => new RegExp(`${name}='([^']+)'`).exec(exported)?.[1] ?? "";
  const get = async <T>(path: string) => (await requestJson<T>(`${controlUrl}/v1/${path}`)).body;
  const list = async (path: string) => (await get<{ data: Named[] }>(path)).data.map(({ id }) => id);
  return {
    npm,
    idOf,
    have: async () => ({
      sources: await list("sources"),
      destinations: await list("destinations"),
      audiences: await list("audiences"),
    }),
    async deliver(messageId: string) {
      const body = { userId: "grace", event: messageId, messageId };
      const { status } = await sendCall(ingestUrl, { route: "track", writeKey: idOf("WRITE_KEY"), body });
      expect(status).toBe(200);
      await npm.untilLine(new RegExp(`${messageId} .* signature ok`), 60_000);
    },
    async untilShown(messageId: string) {
      const isShown = async () => {
        const { destinations = [] } = await get<View>(`calls/${messageId}?sourceId=${idOf("SOURCE")}`);
        return destinations.some(({ state }) => state === "delivered");
      };
      const what = `${messageId} to be delivered in the view of it`;
      await until(isShown, { timeoutMs: 30_000, what });
    },
    attempts: async () =>
      (await get<{ data: { messageId: string }[] }>(`destinations/${idOf("DESTINATION")}/attempts`)).data,
  };
}

test(
  "sources, destinations, audiences and calls are there after Ctrl-C and after kill -9, and gone with --fresh",
  async () => {
    cache = await temporaryCache();
    const first = await start();
    await first.npm.untilLine(/^ {2}identify ordered_lately: true +lin /, 90_000);
    await first.deliver("m1");
    await first.untilShown("m1");
    const had = await first.have();
    expect(had).toMatchObject({ sources: [first.idOf("SOURCE")], destinations: [first.idOf("DESTINATION")] });
    expect(await first.attempts()).not.toEqual([]);
    first.npm.pressCtrlC();
    await first.npm.exitCode();
    expect(first.npm.lines.at(-1)).toBe("Stopped.");

    const second = await start();
    expect(second.npm.lines.join("\n")).toContain("Going on with the data of earlier starts");
    expect(await second.have()).toEqual(had);
    await second.untilShown("m1");
    await second.deliver("m2");
    await killAll(second.npm);

    const third = await start();
    expect(third.npm.lines.join("\n")).toContain("Going on with the data of earlier starts");
    expect(await third.have()).toEqual(had);
    await third.untilShown("m1");
    await third.untilShown("m2");
    await third.deliver("m3");
    third.npm.pressCtrlC();
    await third.npm.exitCode();

    const fresh = await start("--fresh");
    const has = await fresh.have();
    expect(has.sources).toHaveLength(1);
    expect(has.sources).not.toEqual(had.sources);
    expect((await fresh.attempts()).filter(({ messageId }) => /^m\d$/.test(messageId))).toEqual([]);
    fresh.npm.pressCtrlC();
    await fresh.npm.exitCode();
    await untilGone(fresh.npm);
  },
  4 * READY_TIMEOUT_MS,
);
