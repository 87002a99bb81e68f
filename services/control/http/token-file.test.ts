// Tokens change while control runs: the file is real, the clock is the test's.
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { apiTokenSettings, readSettings } from "#runtime";
import { scratchFolder } from "#support/scratch-folder";
import { testSessions } from "./fixtures/sessions.ts";
import { followTokens } from "./token-file.ts";

const OLD = "old-token-0123456789";
const NEW = "new-token-0123456789";

let folder: string;
let file: string;
let said: unknown[];
let revoked: number;
/** What the service's timer would do. */
let look: () => void;
let stop: (() => unknown) | undefined;
/** As the list of tokens has them. */
let listed: () => readonly string[];

beforeEach(async () => {
  folder = scratchFolder();
  file = join(folder, "tokens");
  [said, revoked, stop] = [[], 0, undefined];
});

function follow(environment: Readonly<Record<string, string>>) {
  const { tokens } = readSettings({ tokens: apiTokenSettings }, { processName: "control", environment });
  const note = (facts: object, message: string) => void said.push([message, facts]);
  let isCleared = false;
  look = () => {
    throw new Error("nothing looks at the file");
  };
  const { authorise, list } = followTokens(tokens, {
    host: {
      setInterval(work) {
        look = () => {
          if (!isCleared) work();
        };
        return {
          clear: () => {
            isCleared = true;
          },
        };
      },
    },
    lifecycle: {
      onStop: (_name, work) => {
        stop = () => work(0);
      },
    },
    logger: { info: note, error: note },
    sessions: testSessions(),
    onRevoked: () => {
      revoked += 1;
    },
  });
  listed = () => list().map(({ name, scopes }) => `${name}: ${scopes.join(" ")}`);
  return (token: string): string | undefined => {
    const request = {
      method: "GET",
      ...{ session: undefined, ticket: undefined, csrfToken: undefined },
      ...{ host: "control:8090", origin: undefined, fetchSite: undefined },
    };
    try {
      return authorise({ ...request, authorization: `Bearer ${token}` }).name;
    } catch {
      return undefined;
    }
  };
}

const fromFile = () => follow({ HOOKLINE_API_TOKENS_FILE: file });
const looks = (times: number) => {
  for (let time = 0; time < times; time += 1) look();
};

test("a token that the file gets is good without a restart, and one that it loses is not", async () => {
  await writeFile(file, `ops:read:${OLD}`);
  const nameOf = fromFile();
  looks(3);
  expect(said).toEqual([]);
  // As Kubernetes exchanges a mounted secret.
  await writeFile(join(folder, "next"), `ops:read:${OLD},deploy:write:${NEW}\n`);
  await rename(join(folder, "next"), file);
  looks(2);
  expect([nameOf(OLD), nameOf(NEW)]).toEqual(["ops", "deploy"]);
  expect(listed()).toEqual(["ops: read", "deploy: write"]);
  expect([said, revoked]).toEqual([[["the tokens were read again", { tokens: ["ops", "deploy"] }]], 0]);
  await writeFile(file, `deploy:write:${NEW}`);
  looks(2);
  expect([nameOf(OLD), nameOf(NEW), revoked]).toEqual([undefined, "deploy", 1]);
  expect(listed()).toEqual(["deploy: write"]);
});

test("other scopes of a token are another token: who listens by it is let go", async () => {
  await writeFile(file, `ops:read+write:${OLD}`);
  fromFile();
  await writeFile(file, `ops:write:${OLD}`);
  looks(2);
  expect(revoked).toBe(1);
});

test.each([
  [
    "is broken",
    `ops:read:short`,
    "HOOKLINE_API_TOKENS item 1 has no token of at least 16 printable characters",
  ],
  ["is empty", " \n", "HOOKLINE_API_TOKENS names no token"],
  ["is gone", undefined, expect.stringContaining("(ENOENT)")],
])("a file that %s leaves the tokens of before, and the log says so once", async (_what, text, problem) => {
  await writeFile(file, `ops:read:${OLD}`);
  const nameOf = fromFile();
  await (text === undefined ? rm(file) : writeFile(file, text));
  looks(5);
  const broken = ["the tokens cannot be read again: those of before stay", { problem }];
  expect([nameOf(OLD), said, revoked]).toEqual(["ops", [broken], 0]);
  expect(JSON.stringify(said)).not.toContain(OLD);
  await writeFile(file, `ops:read:${NEW}`);
  looks(2);
  expect([nameOf(OLD), nameOf(NEW)]).toEqual([undefined, "ops"]);
  expect(said).toEqual([broken, ["the tokens were read again", { tokens: ["ops"] }]]);
});

test("what is read once only, as a file that is being written is, changes nothing", async () => {
  await writeFile(file, `ops:read:${OLD},deploy:write:${NEW}`);
  const nameOf = fromFile();
  await writeFile(file, `ops:read:${OLD}`);
  look();
  await writeFile(file, `ops:read:${OLD},deploy:write:${NEW}`);
  looks(3);
  expect([nameOf(NEW), said, revoked]).toEqual(["deploy", [], 0]);
});

test("tokens of the environment stay; and at the service's end nobody looks any more", async () => {
  expect(follow({ HOOKLINE_API_TOKENS: `ops:read:${OLD}` })(OLD)).toBe("ops");
  expect(() => look()).toThrow("nothing looks at the file");
  await writeFile(file, `ops:read:${OLD}`);
  const nameOf = fromFile();
  await writeFile(file, `ops:read:${NEW}`);
  stop?.();
  looks(2);
  expect([nameOf(OLD), said]).toEqual(["ops", []]);
});
