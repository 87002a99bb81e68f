// Clients that two generators make of the document: each makes every call once, against a real control API, and reads the answer.
import { execFile, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { request as ask } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { JsonObject } from "#contract";
import { installGenerators, pythonEnvironment, typescriptGenerator } from "#support/client-generators";
import { type ControlService, startControl } from "#support/control-service";
import { environment } from "#support/environment";
import { requirePython } from "#support/installed";
import { type LocalServer, startLocalServer } from "#support/local-server";
import { scratchFolder } from "#support/scratch-folder";
import { openTopics, type TopicClient } from "../../../services/control/deliveries/fixtures/deliveries.ts";
import { currentDocument } from "../document.ts";
import { type MadeCall, type PlannedCall, planOf } from "./plan.ts";

// The generators are downloaded once.
jest.setTimeout(300_000);

const FIXTURES = join(import.meta.dirname, "fixtures");
/** Uploads are no JSON, for which this generator asks what they are. */
const PYTHON_CONFIG = `content_type_overrides:
  text/csv: application/octet-stream
  application/x-ndjson: application/octet-stream
post_hooks: []
`;
/** An import is confirmed while it is held, a replay cancelled before it ends: these may come too late. Without tokens nobody signs in or gets a ticket. */
const MAY_BE_REFUSED: ReadonlySet<string> = new Set([
  ...["confirmImport", "cancelReplay", "beginSession"],
  ...["createSourceTicket", "createDestinationTicket"],
]);
/** Answered without a body, beside deletions. */
const NO_CONTENT: ReadonlySet<string> = new Set(["endWriteKey", "endSession"]);

let folder: string;
let document: JsonObject;
let control: ControlService;
let topics: TopicClient;
let between: LocalServer;
/** Requests that came to control, as in "GET /v1/sources". */
const came: string[] = [];

beforeAll(async () => {
  requirePython();
  folder = scratchFolder();
  document = await currentDocument();
  await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
  await Promise.all([installGenerators(), startControl().then((started) => (control = started))]);
  topics = await openTopics(control);
  between = await recording();
});
afterAll(async () => {
  await between?.close();
  await topics?.close();
  await control?.stop();
});

/** Passes everything on. A stream ends with its first piece, as the Python client reads an answer to its end. */
function recording(): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    const { method = "", url = "", headers } = request;
    came.push(`${method} ${url.split("?")[0]}`);
    const passed = ask(`${control.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (!answer.headers["content-type"]?.startsWith("text/event-stream")) return void answer.pipe(response);
      answer.once("data", (piece) => {
        response.end(piece);
        answer.destroy();
      });
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
}

interface Operation {
  readonly id: string;
  readonly pattern: RegExp;
}

/** Of the document, each with what its requests look like. */
function operations(): Operation[] {
  const paths = document["paths"] as Record<string, Record<string, { operationId: string }>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      pattern: new RegExp(
        `^${method.toUpperCase()} ${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`,
      ),
    })),
  );
}

type Made = MadeCall & { readonly operation: string };

async function callsOf(
  program: string,
  args: readonly string[],
  plan: readonly PlannedCall[],
): Promise<Made[]> {
  const child = spawn(program, args, { env: pythonEnvironment, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(JSON.stringify(plan));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const made = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Made);
  if (made.length < plan.length) throw new Error(`after ${made.at(-1)?.operation}: ${errors}`);
  return made;
}

/** Every operation came to control, succeeded, and its answer was read. */
function expectEvery(made: readonly Made[]): void {
  const missing = operations().filter(({ pattern }) => !came.some((request) => pattern.test(request)));
  expect(missing.map(({ id }) => id)).toEqual([]);
  expect(made.map(({ operation }) => operation).toSorted()).toEqual(
    operations()
      .map(({ id }) => id)
      .toSorted(),
  );
  const wrong = made.filter(({ operation, parsed, status }) => {
    if (parsed === "Problem") return !MAY_BE_REFUSED.has(operation);
    return (
      status >= 300 || (parsed === null && !operation.startsWith("delete") && !NO_CONTENT.has(operation))
    );
  });
  expect(wrong).toEqual([]);
}

describe("a client of the document makes every call", () => {
  test("by openapi-python-client, which finds nothing to warn of", async () => {
    const [config, client] = [join(folder, "python.yaml"), join(folder, "python")];
    await writeFile(config, PYTHON_CONFIG);
    const args = ["--path", join(folder, "openapi.json"), "--config", config, "--output-path", client];
    const made = await promisify(execFile)("python3", ["-m", "openapi_python_client", "generate", ...args], {
      env: pythonEnvironment,
    });
    expect(made.stdout + made.stderr).not.toMatch(/warn|error|unsupported/i);
    came.length = 0;
    const plan = await planOf(control, topics, "python");
    expectEvery(await callsOf("python3", [join(FIXTURES, "call.py"), client, between.url], plan));
  });

  test("by @hey-api/openapi-ts, which finds nothing to warn of", async () => {
    const [config, client] = [join(folder, "typescript.config.mjs"), join(folder, "typescript")];
    const settings = {
      input: join(folder, "openapi.json"),
      output: { path: client, module: { extension: ".ts" } },
      plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
    };
    await writeFile(config, `export default ${JSON.stringify(settings)};\n`);
    const made = await promisify(execFile)(process.execPath, [typescriptGenerator, "--file", config], {
      cwd: folder,
      env: environment,
    });
    expect(made.stdout + made.stderr).not.toMatch(/warn|error|unsupported/i);
    came.length = 0;
    const plan = await planOf(control, topics, "typescript");
    const program = join(FIXTURES, "call-process.ts");
    expectEvery(await callsOf(process.execPath, [program, client, between.url], plan));
  });
});
