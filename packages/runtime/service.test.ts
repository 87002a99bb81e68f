import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type ServiceDefinition, startService } from "./service.ts";
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { text } from "./value-types.ts";

const own = settingsGroup({
  title: "Greeting",
  settings: {
    name: setting({ env: "HOOKLINE_TEST_NAME", type: text, default: "you", doc: "Whom to greet." }),
  },
});
type Definition = ServiceDefinition<{ greeting: typeof own }>;

const ENVIRONMENT = { HOOKLINE_METRICS_PORT: "0", HOOKLINE_METRICS_HOST: "127.0.0.1" };

function start(definition: Partial<Definition>, environment: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const service = startService(
    { name: "test", settings: { greeting: own }, start: async () => ({}), ...definition },
    {
      environment: { ...ENVIRONMENT, ...environment },
      logTo: { write: (line) => void lines.push(JSON.parse(line)) },
    },
  );
  return { service, lines };
}

async function get(port: number | undefined, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.text() };
}

describe("a service in this process", () => {
  test("announces the ports it bound in one line, at every log level", async () => {
    const { service, lines } = start(
      { start: async () => ({ port: 4711 }) },
      { HOOKLINE_LOG_LEVEL: "error" },
    );
    const { metricsPort } = await service.ready;
    expect(lines).toMatchObject([{ msg: "ready", service: "test", port: 4711, metricsPort }]);
    expect(metricsPort).toBeGreaterThan(0);
    expect(await service.stop()).toBe(0);
  });

  test("is live but not ready, with reasons, until every check says so", async () => {
    let loaded = false;
    const gate = Promise.withResolvers<number>();
    const { service } = start(
      {
        async start({ health, lifecycle }) {
          health.readiness("destination-config loaded", () => loaded || "12 records read");
          lifecycle.onStop("gate", () => undefined);
          gate.resolve(0);
          return {};
        },
      },
      { HOOKLINE_METRICS_PORT: "0" },
    );
    await gate.promise;
    let announced = false;
    void service.ready.then(() => {
      announced = true;
    });
    expect(announced).toBe(false);
    loaded = true;
    const { metricsPort } = await service.ready;
    const said = async () => /^hookline_ready.*$/m.exec((await get(metricsPort, "/metrics")).body)?.[0];
    expect(await get(metricsPort, "/readyz")).toMatchObject({ status: 200 });
    expect(await said()).toBe('hookline_ready{service="test"} 1');
    loaded = false;
    expect(await said()).toBe('hookline_ready{service="test"} 0');
    const { status, body } = await get(metricsPort, "/readyz");
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({
      status: "not ready",
      reasons: ["destination-config loaded: 12 records read"],
    });
    expect(await get(metricsPort, "/livez")).toMatchObject({ status: 200 });
    expect((await get(metricsPort, "/metrics")).body).toContain("hookline_build_info");
    expect(await get(metricsPort, "/nothing")).toMatchObject({ status: 404 });
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const refused = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method });
      expect([refused.status, refused.headers.get("allow"), await refused.text()]).toEqual([
        405,
        "GET, HEAD",
        "",
      ]);
    }
    const head = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    await service.stop();
  });

  test("is not ready while it stops, and its health port closes last", async () => {
    let during: { status: number; body: string } | undefined;
    let metricsPort: number | undefined;
    const { service } = start({
      async start({ lifecycle }) {
        lifecycle.onStop("work", async () => {
          during = await get(metricsPort, "/readyz");
        });
        return {};
      },
    });
    ({ metricsPort } = await service.ready);
    expect(await service.stop()).toBe(0);
    expect(during).toMatchObject({ status: 503 });
    await expect(get(metricsPort, "/livez")).rejects.toThrow();
  });

  test("that fails to start closes what it had opened and ends with status 1", async () => {
    let closed = false;
    const { service, lines } = start({
      async start({ lifecycle }) {
        lifecycle.onStop("producer", () => {
          closed = true;
        });
        throw new Error("no such topic");
      },
    });
    await expect(service.ready).rejects.toThrow("no such topic");
    expect(await service.ended).toBe(1);
    expect(closed).toBe(true);
    expect(lines).toMatchObject([{ level: "fatal", err: { message: "no such topic" } }]);
  });

  test("that is stopped before it began to start never starts", async () => {
    let begun = false;
    const { service } = start({
      async start() {
        begun = true;
        return {};
      },
    });
    expect(await service.stop()).toBe(0);
    await expect(service.ready).rejects.toThrow();
    expect(begun).toBe(false);
  });

  test("can be stopped while it is still starting", async () => {
    const begun = Promise.withResolvers<void>();
    const { service, lines } = start({
      start: ({ lifecycle }) =>
        new Promise((_, reject) => {
          lifecycle.stopping.addEventListener("abort", () => reject(new Error("interrupted")));
          begun.resolve();
        }),
    });
    await begun.promise;
    expect(await service.stop()).toBe(0);
    await expect(service.ready).rejects.toThrow();
    expect(lines).toEqual([]);
  });

  test("reads its settings and warns about a misspelt one", async () => {
    let greeted: string | undefined;
    const { service, lines } = start(
      {
        async start({ settings }) {
          greeted = settings.greeting.name;
          return {};
        },
      },
      { HOOKLINE_TEST_NAME: "Ada", HOOKLINE_TEST_NAMES: "x" },
    );
    await service.ready;
    expect(greeted).toBe("Ada");
    expect(lines[0]).toMatchObject({
      level: "warn",
      msg: "HOOKLINE_TEST_NAMES is not a setting; did you mean HOOKLINE_TEST_NAME?",
    });
    await service.stop();
  });
});

describe("a service as a process", () => {
  /** Runs the fixture; resolves with what it wrote once it has ended. */
  function run(mode: string, args: string[] = [], environment: Record<string, string> = {}) {
    const child = fork(join(import.meta.dirname, "fixtures", "service.ts"), args, {
      env: { ...ENVIRONMENT, HOOKLINE_TEST_MODE: mode, ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const written = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk: Buffer) => {
      written.stdout += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      written.stderr += chunk.toString();
    });
    const ended = once(child, "close").then(([status]) => ({ status: status as number, ...written }));
    const saying = async (message: string): Promise<void> => {
      const tooSoon = ended.then(({ stderr }) => {
        if (!written.stdout.includes(message))
          throw new Error(`it ended without saying ${message}: ${stderr}`);
      });
      while (!written.stdout.includes(message))
        await Promise.race([once(child.stdout ?? child, "data"), tooSoon]);
    };
    return { child, ended, saying };
  }

  test("keeps the files that it makes to its own user", async () => {
    const { child, ended, saying } = run("serve");
    await saying('"msg":"ready"');
    expect(readFileSync(`/proc/${child.pid}/status`, "utf8")).toMatch(/^Umask:\t0077$/m);
    child.kill("SIGTERM");
    expect((await ended).status).toBe(0);
  });

  test("ends in order with status 0 on SIGTERM", async () => {
    const { child, ended, saying } = run("serve");
    await saying('"msg":"ready"');
    child.kill("SIGTERM");
    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout).toContain("work stopped");
  });

  test("ends at once with another status on a second signal", async () => {
    const { child, ended, saying } = run("hang");
    await saying('"msg":"ready"');
    child.kill("SIGTERM");
    await saying("hanging");
    child.kill("SIGTERM");
    expect((await ended).status).toBe(143);
  });

  test.each(["throw", "reject"])("ends in order with status 1 after an uncaught error (%s)", async (mode) => {
    const { ended } = run(mode);
    const { status, stdout } = await ended;
    expect(status).toBe(1);
    expect(stdout).toContain('"level":"fatal"');
    expect(stdout).toContain("nobody expected this");
    expect(stdout).toContain("work stopped");
  });

  test("names wrong settings on stderr and ends with status 1", async () => {
    const { status, stderr } = await run("serve", [], { HOOKLINE_LOG_LEVEL: "loud" }).ended;
    expect(status).toBe(1);
    expect(stderr).toContain("HOOKLINE_LOG_LEVEL is not one of");
  });

  test("prints its settings for --help and ends with status 0", async () => {
    const { status, stdout } = await run("serve", ["--help"]).ended;
    expect(status).toBe(0);
    expect(stdout).toContain("HOOKLINE_TEST_MODE");
  });
});
