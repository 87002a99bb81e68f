// Answers requests below /console/ before anybody is asked for a token: the files are the same for everyone and hold no data.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConsoleFile, ConsoleFiles } from "./files.ts";

const ROOT = "/console/";
const INDEX = "index.html";
const YEAR_SECONDS = 31_536_000;

/** Nothing but the console's own files runs, is loaded or is asked; no page shows it in a frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};

const NOT_BUILT = "The console is not built. In a clone `npm start` or `npm run console:build` builds it.\n";

/** `files` are undefined where the console is left out: its paths are unknown then, as any other. */
export function serveConsole(app: Pick<FastifyInstance, "addHook">, files: ConsoleFiles | undefined): void {
  if (files === undefined) return;
  app.addHook("onRequest", async (request, reply) => {
    const [path = ""] = request.url.split("?", 1);
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (path === "/console") return reply.redirect(ROOT, 302);
    return path.startsWith(ROOT) ? answer(request, reply, files) : undefined;
  });
}

/** A path without a file is one of the console's pages, which the browser's part finds. */
function answer(request: FastifyRequest, reply: FastifyReply, files: ConsoleFiles): FastifyReply {
  const [path = ""] = request.url.slice(ROOT.length).split("?", 1);
  const file = files.get(path) ?? (path.startsWith("assets/") ? undefined : files.get(INDEX));
  reply.headers(HEADERS);
  if (file === undefined) {
    const text = files.size === 0 ? NOT_BUILT : "There is no such file.\n";
    return reply.code(404).header("cache-control", "no-store").type("text/plain; charset=utf-8").send(text);
  }
  const seconds = `public, max-age=${YEAR_SECONDS}, immutable`;
  reply.type(file.type).header("cache-control", file.isHashed ? seconds : "no-cache");
  return reply.send(encoded(file, request, reply));
}

function encoded({ body, gzip }: ConsoleFile, { headers }: FastifyRequest, reply: FastifyReply): Buffer {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers["accept-encoding"] ?? ""));
  if (gzip === undefined || !takesGzip) return body;
  reply.header("content-encoding", "gzip");
  return gzip;
}
