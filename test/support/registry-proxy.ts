// A schema registry behind a proxy that can answer for it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What is answered when a schema is asked for by its id; everything else is always passed on. */
export type SchemaAnswer =
  | "pass"
  /** 200 with a page for people, as a login page or a wrong address gives it. */
  | "page"
  /** What a registry says that has lost its ids. */
  | "unknown id";

export interface RegistryProxy {
  readonly url: string;
  answer: SchemaAnswer;
  close(): void;
}

export async function startRegistryProxy(registryUrl: string): Promise<RegistryProxy> {
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url } = request;
    const body = await text(request);
    const isId = url?.startsWith("/schemas/ids/") === true;
    if (isId && proxy.answer === "page") return void response.end("<h1>please log in</h1>");
    response.setHeader("content-type", "application/json");
    if (isId && proxy.answer === "unknown id")
      return void response.writeHead(404).end('{"error_code":40403,"message":"Schema not found"}');
    const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };
    const passed = await fetch(`${registryUrl}${url}`, { method, headers, ...(body === "" ? {} : { body }) });
    response.writeHead(passed.status).end(await passed.text());
  }

  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: RegistryProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: "pass",
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}
