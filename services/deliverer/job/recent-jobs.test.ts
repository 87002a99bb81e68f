import { describe, expect, test } from "@jest/globals";
import { type Duplicate, RecentJobs } from "./recent-jobs.ts";

const ends = (end: () => void): Duplicate => ({
  end,
  giveBack() {
    throw new Error("the first has ended");
  },
});
const endsAs = (name: string, ended: string[]) => ends(() => void ended.push(name));
const ignored = ends(() => undefined);
const never = ends(() => {
  throw new Error("nobody waits here");
});

describe("jobs taken in hand lately", () => {
  test("end their duplicates when they are durable, and later duplicates at once", () => {
    const jobs = new RecentJobs();
    const ended: string[] = [];
    expect(jobs.enter(0, "a", never)).toBe(true);
    expect(jobs.enter(0, "a", endsAs("second", ended))).toBe(false);
    expect(jobs.enter(0, "a", endsAs("third", ended))).toBe(false);
    expect(ended).toEqual([]);
    jobs.durable(0, "a");
    expect(ended).toEqual(["second", "third"]);
    expect(jobs.enter(0, "a", endsAs("fourth", ended))).toBe(false);
    expect(ended).toEqual(["second", "third", "fourth"]);
  });

  test("that were not sent end their duplicates, and are begun again when they come later", () => {
    const jobs = new RecentJobs();
    const ended: string[] = [];
    jobs.enter(0, "a", never);
    jobs.enter(0, "a", endsAs("second", ended));
    jobs.unsent(0, "a");
    expect(ended).toEqual(["second"]);
    expect(jobs.enter(0, "a", never)).toBe(true);
  });

  test("are told apart by partition", () => {
    const jobs = new RecentJobs();
    expect(jobs.enter(0, "a", never)).toBe(true);
    expect(jobs.enter(1, "a", never)).toBe(true);
  });

  test("are remembered for at least one set's size and forgotten after two", () => {
    const jobs = new RecentJobs(3);
    const end = (key: string) => {
      jobs.enter(0, key, ignored);
      jobs.durable(0, key);
    };
    for (const key of ["a", "b", "c", "d", "e"]) end(key);
    expect(jobs.enter(0, "a", ignored)).toBe(false);
    end("f");
    expect(jobs.enter(0, "a", never)).toBe(true);
    expect(jobs.enter(0, "f", ignored)).toBe(false);
  });

  test("are forgotten in time, also where nothing comes any more; those in hand are not", () => {
    const jobs = new RecentJobs();
    for (const key of ["a", "b"]) jobs.enter(0, key, ignored);
    jobs.durable(0, "a");
    for (const nowMs of [5_000, 14_999]) jobs.age(nowMs, 10_000);
    expect(jobs.enter(0, "a", ignored)).toBe(false);
    for (const nowMs of [15_000, 20_000]) jobs.age(nowMs, 10_000);
    expect(jobs.enter(0, "a", ignored)).toBe(false);
    for (const nowMs of [25_000, 30_000]) jobs.age(nowMs, 10_000);
    expect(jobs.enter(0, "a", never)).toBe(true);
    expect(jobs.enter(0, "b", ignored)).toBe(false);
  });

  test("are never forgotten while they are in hand", () => {
    const jobs = new RecentJobs(1);
    jobs.enter(0, "held", never);
    for (const key of ["a", "b", "c"]) {
      jobs.enter(0, key, never);
      jobs.durable(0, key);
    }
    expect(jobs.enter(0, "held", ignored)).toBe(false);
  });

  test("can be joined without being taken in hand: only one that is known ends with the first", () => {
    const jobs = new RecentJobs();
    const ended: string[] = [];
    expect(jobs.join(0, "a", never)).toBe(false);
    expect(jobs.enter(0, "a", never)).toBe(true);
    expect(jobs.join(0, "a", endsAs("joined", ended))).toBe(true);
    expect(ended).toEqual([]);
    jobs.durable(0, "a");
    expect(ended).toEqual(["joined"]);
    expect(jobs.join(0, "a", endsAs("late", ended))).toBe(true);
    expect(ended).toEqual(["joined", "late"]);
  });

  test("that are put off give their duplicates back: one of them may be what was put off", () => {
    const jobs = new RecentJobs();
    let isGivenBack = false;
    const waiting: Duplicate = {
      end() {
        throw new Error("then nothing of the job is left");
      },
      giveBack() {
        isGivenBack = true;
      },
    };
    jobs.enter(0, "a", never);
    expect(jobs.enter(0, "a", waiting)).toBe(false);
    jobs.putOff(0, "a");
    expect(isGivenBack).toBe(true);
    expect(jobs.enter(0, "a", never)).toBe(true);
  });

  test("are free again when they are given back, and their duplicates with them", () => {
    const jobs = new RecentJobs();
    const givenBack: string[] = [];
    const duplicate = { end: () => undefined, giveBack: () => void givenBack.push("duplicate") };
    expect(jobs.enter(0, "a", never)).toBe(true);
    expect(jobs.enter(0, "a", duplicate)).toBe(false);
    jobs.givenBack(0, "a");
    expect(givenBack).toEqual(["duplicate"]);
    expect(jobs.enter(0, "a", never)).toBe(true);
  });
});
