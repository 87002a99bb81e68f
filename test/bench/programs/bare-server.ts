// The floor that ingest is measured against: node:http, read the body, parse the JSON, answer 200.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerWith } from "./control.ts";

const ANSWER = Buffer.from('{"success":true}');
let calls = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const parsed = JSON.parse(Buffer.concat(chunks).toString()) as { batch?: unknown[] };
    calls += parsed.batch?.length ?? 1;
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, "127.0.0.1", () => {
  answerWith([(server.address() as AddressInfo).port], () => calls);
});
