import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { ReplaceableConnection } from "./replaceable-connection.ts";

/** Connections that are numbers, and uses that end when the test says so. */
function numbered() {
  const opened: number[] = [];
  const closed: number[] = [];
  const connection = new ReplaceableConnection<number>({
    name: "the client",
    open: async () => opened.push(opened.length + 1),
    close: async (number) => void closed.push(number),
  });
  const useOne = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = connection.use(async (number) => {
      await promise;
      return number;
    });
    return { end: resolve, fail: reject, done };
  };
  return { opened, closed, connection, useOne };
}

describe("a connection that can be replaced", () => {
  test("is one for all who ask, and opened by the first one", async () => {
    const { opened, useOne } = numbered();
    expect(opened).toEqual([]);
    const [first, second] = [useOne(), useOne()];
    first.end();
    second.end();
    expect(await Promise.all([first.done, second.done])).toEqual([1, 1]);
    expect(opened).toEqual([1]);
  });

  test("put aside in use, it serves its users to the end, and the last one closes it; others have a new one", async () => {
    const { closed, connection, useOne } = numbered();
    const [first, second] = [useOne(), useOne()];
    const aside = connection.putAside();
    const third = useOne();
    first.end();
    expect(await first.done).toBe(1);
    expect(closed).toEqual([]);
    second.fail(new Error("lost"));
    await expect(second.done).rejects.toThrow("lost");
    await aside;
    expect(closed).toEqual([1]);
    third.end();
    expect(await third.done).toBe(2);
    expect(closed).toEqual([1]);
  });

  test("put aside in use, it waits for its users also when it was unused once before", async () => {
    const { closed, connection, useOne } = numbered();
    const first = useOne();
    first.end();
    await first.done;
    const second = useOne();
    const aside = connection.putAside();
    await new Promise(setImmediate);
    expect(closed).toEqual([]);
    second.end();
    await Promise.all([second.done, aside]);
    expect(closed).toEqual([1]);
  });

  test("put aside, and then not opened, it leaves the one that came after it to those who ask", async () => {
    const opening: { resolve(number: number): void; reject(error: Error): void }[] = [];
    const connection = new ReplaceableConnection<number>({
      name: "the client",
      open: () => new Promise<number>((resolve, reject) => void opening.push({ resolve, reject })),
      close: async () => undefined,
    });
    const use = () => connection.use(async (number) => number);
    const first = use();
    const aside = connection.putAside();
    const second = use();
    opening[0]?.reject(new Error("nobody answers"));
    await expect(first).rejects.toThrow("nobody answers");
    opening[1]?.resolve(2);
    expect([await second, await use(), opening.length]).toEqual([2, 2, 2]);
    await aside;
  });

  test("put aside unused, it is closed at once, and once", async () => {
    const { closed, connection, useOne } = numbered();
    const only = useOne();
    only.end();
    await only.done;
    await Promise.all([connection.putAside(), connection.putAside()]);
    expect(closed).toEqual([1]);
  });

  test("that cannot be opened or closed fails those who asked and no one else", async () => {
    let tries = 0;
    const connection = new ReplaceableConnection<number>({
      name: "the client",
      async open() {
        tries += 1;
        if (tries === 1) throw new Error("nobody answers");
        return tries;
      },
      close: () => Promise.reject(new Error("gone already")),
    });
    await expect(connection.use(async (number) => number)).rejects.toThrow("nobody answers");
    expect(await connection.use(async (number) => number)).toBe(2);
    await expect(connection.putAside()).resolves.toBeUndefined();
  });

  test("closed, it refuses who asks after that, also in the middle of a work of several steps", async () => {
    const { opened, closed, connection, useOne } = numbered();
    const first = useOne();
    const closing = connection.close(systemHost);
    await expect(connection.use(async (number) => number)).rejects.toMatchObject({
      code: "closed",
      message: "the client is closed",
    });
    first.end();
    await closing;
    expect({ opened, closed }).toEqual({ opened: [1], closed: [1] });
  });

  test("checked, it is put aside when it is not well, but only for those who ask later", async () => {
    const { opened, closed, connection, useOne } = numbered();
    await connection.check(() => Promise.reject(new Error("not asked")));
    expect(opened).toEqual([]);
    const first = useOne();
    await connection.check(async () => undefined);
    await connection.check(() => Promise.reject(new Error("lost")));
    const second = useOne();
    first.end();
    second.end();
    expect(await Promise.all([first.done, second.done])).toEqual([1, 2]);
    expect(closed).toEqual([1]);
  });
});
