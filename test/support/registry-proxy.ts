// A schema registry behind a proxy that can answer for it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { startLocalServer } from "./local-server.ts";

/** What is answered instead of what the registry says. */
export type SchemaAnswer =
  | "pass"
  /** None: the connection breaks. */
  | "refuse"
  /** 200 with a page for people, as a login page or a wrong address gives it. */
  | "page"
  | "not found page"
  | "other json"
  /** What a registry says that has lost its ids. It is asked for by id alone. */
  | "unknown id";

export interface RegistryProxy {
  readonly url: string;
  answer: SchemaAnswer;
  /** So many requests have come. */
  requests: number;
  readonly close: () => Promise<void>;
}

const JSON_TYPE = { "content-type": "application/json" };
const ID_PATH = "/schemas/ids/";

/** Answers for the registry where a path begins so: unless given, when a schema is asked for by its id; everything else is always passed on. */
export async function startRegistryProxy(registryUrl: string, path = ID_PATH): Promise<RegistryProxy> {
  async function passOn({ method = "GET", url }: IncomingMessage, body: string, response: ServerResponse) {
    const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };
    const passed = await fetch(`${registryUrl}${url}`, { method, headers, ...(body === "" ? {} : { body }) });
    response.writeHead(passed.status, JSON_TYPE).end(await passed.text());
  }

  const server = await startLocalServer(async (request, response) => {
    proxy.requests += 1;
    const body = await text(request);
    const { url = "" } = request;
    switch (url.startsWith(path) ? proxy.answer : "pass") {
      case "refuse":
        return response.destroy();
      case "page":
        return response.end("<h1>please log in</h1>");
      case "not found page":
        return response.writeHead(404).end("<h1>nothing here</h1>");
      case "other json":
        return response.writeHead(200, JSON_TYPE).end('{"status":"ok"}');
      case "unknown id":
        if (!url.startsWith(ID_PATH)) return passOn(request, body, response);
        return response.writeHead(404, JSON_TYPE).end('{"error_code":40403,"message":"Schema not found"}');
      default:
        return passOn(request, body, response);
    }
  });
  const proxy: RegistryProxy = { url: server.url, answer: "pass", requests: 0, close: server.close };
  return proxy;
}
