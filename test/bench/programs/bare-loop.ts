// The floor that the deliverer is measured against: undici dispatch, one POST of the same body after the other, `inFlight` at a time.
import { Agent } from "undici";
import { sampleCall } from "../calls.ts";
import { answerWith } from "./control.ts";

const [origin = "", inFlightText = "64"] = process.argv.slice(2);
const agent = new Agent({
  allowH2: false,
  pipelining: 1,
  connections: Number(inFlightText),
  keepAliveTimeout: 30_000,
});
const body = Buffer.from(JSON.stringify(sampleCall()));
let count = 0;

function post(): void {
  agent.dispatch(
    {
      origin,
      path: "/bare",
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "Bare/1.0" },
      body,
    },
    {
      onRequestStart() {
        // its presence tells undici which kind of handler this is
      },
      onResponseEnd() {
        count += 1;
        post();
      },
      onResponseError(_controller, error) {
        throw error;
      },
    },
  );
}

for (let started = 0; started < Number(inFlightText); started++) post();
answerWith([], () => count);
