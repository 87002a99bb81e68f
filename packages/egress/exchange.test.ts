// Tests what one exchange does at undici's and the clock's events, without a socket or the machine's time.
import { describe, expect, test } from "@jest/globals";
import type { Dispatcher } from "undici";
import type { RequestResult } from "#contract";
import { type Host, systemHost } from "#host";
import { Exchange } from "./exchange.ts";

const DEADLINE_MS = 5_000;

function setup({ captureBytes = 0, captureFailureBytes = 0 } = {}) {
  let expire: () => void = () => undefined;
  let giveBodyUp: () => void = () => undefined;
  let isTimed = true;
  const host: Host = {
    ...systemHost,
    elapsed: () => 0,
    setTimeout(work, delayMs) {
      if (delayMs === DEADLINE_MS) expire = work;
      else giveBodyUp = work;
      return {
        clear() {
          isTimed = false;
        },
      };
    },
  };
  const settled: RequestResult[] = [];
  const aborted: string[] = [];
  const controller = {
    abort: (reason: Error) => void aborted.push(reason.message),
  } as Dispatcher.DispatchController;
  const exchange = new Exchange({
    deadlineMs: DEADLINE_MS,
    captureBytes,
    captureFailureBytes,
    settle: (result) => settled.push(result),
    host,
  });
  return {
    aborted,
    controller,
    exchange,
    expire: () => expire(),
    giveBodyUp: () => giveBodyUp(),
    isTimed: () => isTimed,
    settled,
  };
}

describe("an exchange", () => {
  test("whose deadline passed while it waited for a connection is aborted before it is sent", () => {
    const { aborted, controller, exchange, expire, settled } = setup();
    expire();
    expect(settled).toMatchObject([{ kind: "failure", failure: "timeout" }]);
    exchange.onRequestStart(controller);
    expect(aborted).toEqual(["deadline passed before the request was sent"]);
    exchange.onResponseError(controller, new Error("aborted"));
    expect(settled).toHaveLength(1);
  });

  test("that is sent in time is not aborted, until its deadline", () => {
    const { aborted, controller, exchange, expire } = setup();
    exchange.onRequestStart(controller);
    expect(aborted).toEqual([]);
    expire();
    expect(aborted).toEqual(["deadline passed"]);
  });

  test.each([0, 1_024])("reads 64 KiB of a body and not a byte more (%d bytes captured)", (captureBytes) => {
    const { aborted, controller, exchange, settled } = setup({ captureBytes });
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});
    for (let sent = 0; sent < 64; sent += 1) exchange.onResponseData(controller, Buffer.alloc(1_024));
    expect(aborted).toEqual([]);
    exchange.onResponseData(controller, Buffer.alloc(1));
    expect(aborted).toEqual(["response body too long"]);
    exchange.onResponseError(controller, new Error("response body too long"));
    expect(settled).toMatchObject([{ kind: "response", status: 200, body: Buffer.alloc(captureBytes) }]);
  });

  test("has its outcome as soon as it holds what is wanted of the body, across chunks, each of which is copied", () => {
    const { controller, exchange, settled } = setup({ captureBytes: 6 });
    exchange.onResponseStart(controller, 200, {});
    const chunk = Buffer.from("abcd");
    exchange.onResponseData(controller, chunk);
    expect(settled).toEqual([]);
    // It is a view of a buffer that is read into again.
    chunk.fill("x");
    exchange.onResponseData(controller, Buffer.from("efgh"));
    expect(settled).toMatchObject([{ status: 200, body: Buffer.from("abcdef") }]);
    exchange.onResponseData(controller, Buffer.from("ijkl"));
    exchange.onResponseEnd();
    expect(settled).toHaveLength(1);
  });

  test("of a body that is shorter than wanted holds all of it, at its end", () => {
    const { controller, exchange, settled } = setup({ captureBytes: 6 });
    exchange.onResponseStart(controller, 200, {});
    exchange.onResponseData(controller, Buffer.from("abcde"));
    expect(settled).toEqual([]);
    exchange.onResponseEnd();
    expect(settled).toMatchObject([{ status: 200, body: Buffer.from("abcde") }]);
  });

  test("leaves no timer behind when its response has ended, or its connection has", () => {
    const whole = setup();
    whole.exchange.onResponseStart(whole.controller, 200, {});
    whole.exchange.onResponseEnd();
    expect(whole.isTimed()).toBe(false);
    const broken = setup();
    broken.exchange.onResponseError(broken.controller, new Error("gone"));
    expect(broken.isTimed()).toBe(false);
  });

  test("holds the beginning of a failure's body, and none of a success's", () => {
    const failed = setup({ captureFailureBytes: 4 });
    failed.exchange.onResponseStart(failed.controller, 503, { server: "nginx" });
    expect(failed.settled).toEqual([]);
    failed.exchange.onResponseData(failed.controller, Buffer.from("no room"));
    failed.exchange.onResponseEnd();
    expect(failed.settled).toMatchObject([{ status: 503, headers: { server: "nginx" } }]);
    expect(failed.settled.map((result) => "body" in result && result.body.toString())).toEqual(["no r"]);
    const good = setup({ captureFailureBytes: 4 });
    good.exchange.onResponseStart(good.controller, 200, {});
    expect(good.settled).toMatchObject([{ status: 200, body: Buffer.alloc(0) }]);
  });

  test("does not wait for the whole deadline for a failure's body that has no end", () => {
    const { controller, exchange, expire, giveBodyUp, settled } = setup({ captureFailureBytes: 1_024 });
    exchange.onResponseStart(controller, 503, {});
    exchange.onResponseData(controller, Buffer.from("no"));
    giveBodyUp();
    expect(settled).toMatchObject([{ status: 503, body: Buffer.from("no") }]);
    exchange.onResponseData(controller, Buffer.from(" room"));
    expire();
    exchange.onResponseError(controller, new Error("deadline passed"));
    expect(settled).toHaveLength(1);
  });
});
