// The floor that the pipeline is measured against: HTTP in, HTTP out, nothing between. node:http reads the body, parses the JSON, answers
// 200 and hands the same body to undici, without a log, a signature or a retry. Arguments: the origins that the calls go to, in turn.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { answerWith } from "./control.ts";

const CONNECTIONS = 64;
const ANSWER = Buffer.from('{"success":true}');
const origins = process.argv.slice(2);
const agent = new Agent({
  allowH2: false,
  pipelining: 1,
  connections: CONNECTIONS,
  keepAliveTimeout: 30_000,
});
let calls = 0;

function handOn(origin: string, body: Buffer): void {
  agent.dispatch(
    { origin, path: "/bench", method: "POST", headers: { "content-type": "application/json" }, body },
    {
      onRequestStart() {
        // its presence tells undici which kind of handler this is
      },
      onResponseError(_controller, error) {
        throw error;
      },
    },
  );
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    JSON.parse(body.toString());
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length });
    response.end(ANSWER);
    calls += 1;
    handOn(origins[calls % origins.length] ?? "", body);
  });
});
server.listen(0, "127.0.0.1", () => {
  answerWith([(server.address() as AddressInfo).port], () => calls);
});
