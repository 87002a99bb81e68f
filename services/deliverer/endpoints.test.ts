import { describe, expect, test } from "@jest/globals";
import { Endpoints } from "./endpoints.ts";

/** Endpoints that take two requests each, with what has started and the way to end it. */
function setup() {
  const endpoints = new Endpoints(2);
  const started: string[] = [];
  const free = new Map<string, () => void>();
  const start = (endpoint: string, name: string) =>
    endpoints.start(endpoint, (done) => {
      started.push(name);
      free.set(name, done);
    });
  return { end: (name: string) => free.get(name)?.(), endpoints, start, started };
}

describe("the requests to one endpoint", () => {
  test("are bounded; the others start in order as places become free", () => {
    const { end, endpoints, start, started } = setup();
    for (const name of ["a1", "a2", "a3", "a4"]) start("a", name);
    expect(started).toEqual(["a1", "a2"]);
    expect([endpoints.inFlight, endpoints.waiting]).toEqual([2, 2]);
    end("a2");
    end("a1");
    expect(started).toEqual(["a1", "a2", "a3", "a4"]);
    end("a3");
    end("a4");
    expect([endpoints.inFlight, endpoints.waiting]).toEqual([0, 0]);
    start("a", "a5");
    expect(started.at(-1)).toBe("a5");
  });

  test("do not count for another endpoint", () => {
    const { start, started } = setup();
    for (const name of ["a1", "a2", "a3"]) start("a", name);
    start("b", "b1");
    expect(started).toEqual(["a1", "a2", "b1"]);
  });

  test("that wait are not started any more once they are held, and those under way still end", () => {
    const { end, endpoints, start, started } = setup();
    for (const name of ["a1", "a2", "a3"]) start("a", name);
    endpoints.hold();
    end("a1");
    start("b", "b1");
    expect(started).toEqual(["a1", "a2"]);
    end("a2");
    expect(endpoints.inFlight).toBe(0);
  });
});
