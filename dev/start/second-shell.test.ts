import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { scratchFolder } from "#support/scratch-folder";
import { writeStartRecord } from "../../cli/start-record.ts";
import { type SecondShell, secondShellLines } from "./second-shell.ts";

const URLS = { ingestUrl: "http://127.0.0.1:8180", controlUrl: "http://127.0.0.1:8190" };

/** The output of a shell after it was given the lines. */
function said(shell: Partial<SecondShell>, command: string): string {
  const lines = secondShellLines({ ...URLS, portOffset: 0, tokenFile: undefined, ...shell });
  const options = { encoding: "utf8", env: { PATH: environment["PATH"] } } as const;
  return execFileSync("sh", ["-c", [...lines, command].join("\n")], options).trim();
}

describe("a shell that was given the lines", () => {
  test("knows where everything is, and the demo's ids", () => {
    const ids = { sourceId: "src_1", writeKey: "wk_1", destinationId: "dst_1" };
    expect(said({ ids, portOffset: 100 }, "env")).toMatch(/HOOKLINE_CONTROL_URL=http:\/\/127.0.0.1:8190/);
    expect(said({ ids }, 'echo "$INGEST $CONTROL $HOOKLINE $SOURCE $WRITE_KEY $DESTINATION"')).toBe(
      "http://127.0.0.1:8180 http://127.0.0.1:8190 http://127.0.0.1:8180 src_1 wk_1 dst_1",
    );
    expect(said({ portOffset: 100 }, 'echo "$HOOKLINE_PORT_OFFSET"')).toBe("100");
  });

  test("takes every name of a file as it is", () => {
    const tokenFile = "/it's $HOME/`x`/token";
    expect(said({ tokenFile }, 'echo "$HOOKLINE_CONTROL_TOKEN_FILE"')).toBe(tokenFile);
  });

  test("has hookline", async () => {
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(said({}, "hookline --version")).toBe(version);
  }, 180_000);
});

describe("the record of a start", () => {
  let cache: string;
  beforeEach(async () => {
    cache = scratchFolder();
  });

  const files = () => readdir(join(cache, "starts"));
  const record = { ...URLS, pid: process.pid, variables: {} };

  test("keeps the token for this user alone, and is gone at the end", async () => {
    const { tokenFile = "", remove } = await writeStartRecord(cache, {
      ...record,
      token: "0123456789abcdef",
    });
    expect(await readFile(tokenFile, "utf8")).toBe("0123456789abcdef\n");
    expect(((await stat(tokenFile)).mode & 0o777).toString(8)).toBe("600");
    expect((await files()).toSorted()).toEqual([`${process.pid}.json`, `${process.pid}.token`]);
    await remove();
    expect(await files()).toEqual([]);
  });

  test("puts those of starts that were killed out of the way", async () => {
    const killed = spawn(process.execPath, ["-e", ""]);
    await once(killed, "exit");
    await writeStartRecord(cache, { ...record, token: undefined });
    await writeFile(join(cache, "starts", `${killed.pid}.token`), "x");
    expect(await writeStartRecord(cache, { ...record, token: undefined })).toMatchObject({
      tokenFile: undefined,
    });
    expect(await files()).toEqual([`${process.pid}.json`]);
  });
});
