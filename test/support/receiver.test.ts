import { afterEach, describe, expect, test } from "@jest/globals";
import { type Receiver, startReceiver } from "./receiver.ts";
import { hmacSha1Hex } from "./signature.ts";

let receiver: Receiver;

afterEach(() => receiver.close());

function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(receiver.url(path), { method: "POST", body, headers });
}

describe("a receiver", () => {
  test("keeps the exact body and every header, by path", async () => {
    receiver = await startReceiver();
    await post("/a", '{"n":1.0}', { "X-Team": "growth" });
    await post("/b", "{}");
    const [request] = receiver.requestsTo("/a");
    expect(request).toMatchObject({ method: "POST", text: '{"n":1.0}', json: { n: 1 }, signature: "absent" });
    expect(request?.headers["x-team"]).toBe("growth");
    expect(receiver.requests).toHaveLength(2);
  });

  test("tells a valid signature from a wrong one and from a body that does not survive being re-stringified", async () => {
    receiver = await startReceiver({ secret: "s3cr3t" });
    const signed = async (body: string, signature = hmacSha1Hex("s3cr3t", Buffer.from(body))) => {
      await post("/s", body, { "x-signature": signature });
      return receiver.requests.at(-1)?.signature;
    };
    expect(await signed('{"a":1}')).toBe("valid");
    expect(await signed('{"a":1}', "00")).toBe("invalid");
    expect(await signed('{"a":1.0}')).toBe("invalid");
  });

  test("gives the scripted answers in turn and the last one for ever", async () => {
    receiver = await startReceiver();
    receiver.script("/s", { status: 503, headers: { "retry-after": "7" } }, { status: 404 });
    const first = await post("/s", "{}");
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "7"]);
    expect((await post("/s", "{}")).status).toBe(404);
    expect((await post("/s", "{}")).status).toBe(404);
    expect((await post("/other", "{}")).status).toBe(200);
  });

  test("hangs, resets and pours without end when it is told to", async () => {
    receiver = await startReceiver();
    receiver.script("/hang", { behaviour: "hang" });
    receiver.script("/reset", { behaviour: "reset" });
    receiver.script("/endless", { behaviour: "endless_body" });
    const hanging = fetch(receiver.url("/hang"), {
      method: "POST",
      body: "{}",
      signal: AbortSignal.timeout(300),
    });
    await expect(hanging).rejects.toMatchObject({ name: "TimeoutError" });
    await expect(post("/reset", "{}")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    const endless = await post("/endless", "{}");
    expect(endless.status).toBe(200);
    const reader = endless.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });
});
