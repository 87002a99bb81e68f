import type { RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type LocalServer, startLocalServer } from "#support/local-server";
import { type EngineAddress, engineAddresses, ensureImage, findEngine } from "./docker-engine.ts";

let server: LocalServer | undefined;

afterEach(() => server?.close());

/** Something that answers like an engine, for what an engine is asked before testcontainers is loaded. */
async function engine(listener: RequestListener): Promise<EngineAddress> {
  server = await startLocalServer(listener);
  return { host: "127.0.0.1", port: server.port };
}

describe("the addresses of an engine", () => {
  test("DOCKER_HOST alone counts when it is set", () => {
    expect(engineAddresses({ DOCKER_HOST: "unix:///x/docker.sock" }, "/home/ada")).toEqual([
      { socketPath: "/x/docker.sock" },
    ]);
    expect(engineAddresses({ DOCKER_HOST: "tcp://10.0.0.1:2376" }, "/home/ada")).toEqual([
      { host: "10.0.0.1", port: 2376 },
    ]);
  });

  test("without it the system's, the user's and the desktop's sockets are tried in this order", () => {
    expect(engineAddresses({ XDG_RUNTIME_DIR: "/run/user/1" }, "/home/ada")).toEqual([
      { socketPath: "/var/run/docker.sock" },
      { socketPath: "/run/user/1/docker.sock" },
      { socketPath: "/home/ada/.docker/run/docker.sock" },
      { socketPath: "/home/ada/.docker/desktop/docker.sock" },
    ]);
  });
});

describe("an engine", () => {
  test("is found when it answers, after one that does not", async () => {
    const address = await engine((_, response) => response.end("OK"));
    expect(await findEngine([{ socketPath: "/nowhere/docker.sock" }, address])).toEqual(address);
  });

  test("is not there when nothing listens", async () => {
    const address = await engine((_, response) => response.end());
    await server?.close();
    expect(await findEngine([address])).toBeUndefined();
  });

  test("that has an image is not asked to pull it", async () => {
    const asked: string[] = [];
    const address = await engine((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end("{}");
    });
    await ensureImage(address, "apache/kafka:4.3.1", () => undefined);
    expect(asked).toEqual(["GET /images/apache/kafka:4.3.1/json"]);
  });

  test("pulls an image that it lacks", async () => {
    const asked: string[] = [];
    const address = await engine((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.statusCode = request.method === "GET" ? 404 : 200;
      response.end('{"status":"Pulling"}\n{"status":"Done"}\n');
    });
    await ensureImage(address, "apache/kafka:4.3.1", () => undefined);
    expect(asked[1]).toBe("POST /images/create?fromImage=apache%2Fkafka&tag=4.3.1");
  });

  test("that says in its stream that it cannot pull is not available", async () => {
    const address = await engine((request, response) => {
      response.statusCode = request.method === "GET" ? 404 : 200;
      response.end('{"status":"Pulling"}\n{"error":"no route to host"}\n');
    });
    await expect(ensureImage(address, "apache/kafka:4.3.1", () => undefined)).rejects.toMatchObject({
      code: "unavailable",
      message: "apache/kafka:4.3.1 could not be pulled: no route to host",
    });
  });
});
