import { expect, test } from "@jest/globals";
import { eventReader } from "./server-sent-events.ts";

const STREAM =
  ': heartbeat\n\nevent: accepted\ndata: {"a":1}\nid: r.1\n\nevent: listening\ndata: {}\n\ndata: one\ndata: two\n\n';

test("events are the same wherever the stream is cut", () => {
  const expected = [
    { name: "accepted", data: '{"a":1}', id: "r.1" },
    { name: "listening", data: "{}", id: undefined },
    { name: "message", data: "one\ntwo", id: undefined },
  ];
  for (let at = 0; at <= STREAM.length; at += 1) {
    const read = eventReader();
    expect([...read(STREAM.slice(0, at)), ...read(STREAM.slice(at))]).toEqual(expected);
  }
});
