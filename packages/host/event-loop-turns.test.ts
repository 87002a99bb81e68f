import { expect, test } from "@jest/globals";
import { EventLoopTurns, WorkInTurns } from "./event-loop-turns.ts";

/** Immediates that run when they are told to, one turn of the event loop at a time. */
function heldTurns() {
  let immediates: (() => void)[] = [];
  const host = {
    setImmediate(work: () => void) {
      immediates.push(work);
      return { clear: () => undefined };
    },
  };
  async function runTurn(): Promise<void> {
    const due = immediates;
    immediates = [];
    for (const work of due) work();
    await new Promise(setImmediate);
  }
  return { host, runTurn };
}

test("a turn of the event loop is given to one who waits, in the order in which they came", async () => {
  const { host, runTurn } = heldTurns();
  const turns = new EventLoopTurns(host);
  const had: string[] = [];
  const work = async (name: string, pieces: number) => {
    for (let piece = 0; piece < pieces; piece += 1) {
      await turns.next();
      had.push(name);
    }
  };
  void work("a", 2);
  void work("b", 1);
  void work("c", 2);
  const seen: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    await runTurn();
    seen.push(had.join(""));
    had.length = 0;
  }
  expect(seen).toEqual(["a", "b", "c", "a", "c", ""]);
});

test("a turn has room for so many bytes, and a larger piece has one of its own", () => {
  let turns = 0;
  const pause = () => {
    turns += 1;
    return Promise.resolve();
  };
  const work = new WorkInTurns({ pause, bytesATurn: 100 });
  const began = [60, 40, 1, 300, 1, 99, 1].map((bytes) =>
    work.begin(bytes) === undefined ? "same" : "next",
  );
  expect(began).toEqual(["next", "same", "next", "next", "next", "same", "next"]);
  expect(turns).toBe(5);
});
