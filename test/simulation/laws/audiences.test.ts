import { describe, expect, test } from "@jest/globals";
import { EPOCH_MS } from "#testing/host";
import type { ProfileEventCall } from "#topics";
import {
  AUDIENCE,
  brokenBy,
  CALM_MS,
  event,
  given,
  profile,
  sent,
  audienceStory as story,
  version,
} from "./fixtures/audience-story.ts";
import type { Story } from "./story.ts";

const ALTERNATES = "what is sent of a user and an audience alternates";
const NUMBERED = "changes are numbered one after the other";
const RISE = "times of a user and an audience rise";
const HOLDS = "each change holds at its moment";
const MEMBERS = "in the end exactly the members are in";
const SILENT = "of what is paused or deleted nothing is sent";
const SUPPRESSED = "of a suppressed user nothing is sent";
const KNOWN = "in the end a profile says whether its user is suppressed";
const AWAY = "who was deleted comes back by later calls alone";
const PASSED = "no commit passes an event that is not in its profile";

const broken = (more: Partial<Story>, writes?: Parameters<typeof story>[1]): string[] =>
  brokenBy(story(more, writes));

const callOf = (messageId: string, atMs: number): ProfileEventCall => ({
  ...given(messageId, atMs).value,
  name: "A",
  previousId: null,
});

const callAt = (atMs: number) => given(`m${atMs}`, atMs);

const ENTERS = sent({ value: true, atMs: 10_000, origin: { seq: 1 } });
const LEAVES = sent({ value: false, atMs: 70_000, origin: { seq: 2 } });
const CALL = given("m1", 10_000);

test("a world in which all went well breaks no law", () => {
  expect(brokenBy(story())).toEqual([]);
});

describe("a law is broken by", () => {
  test("a value that is sent twice in a row, under ids of its own", () => {
    const again = sent({ value: true, atMs: 10_000, origin: { seq: 2 } });
    expect(broken({ calls: [CALL, ENTERS, again], drainedAtMs: undefined })).toContain(ALTERNATES);
    expect(broken({ calls: [CALL, ENTERS, ENTERS, LEAVES] })).toEqual([]);
  });

  test("a first value that is false", () => {
    const calls = [CALL, sent({ value: false, atMs: 10_000, origin: { seq: 1 } })];
    expect(broken({ calls, profiles: [profile(0, { seq: 1 })] })).toContain(ALTERNATES);
  });

  test("a change that is missing, or that no profile has made", () => {
    expect(broken({ calls: [CALL, ENTERS] })).toContain(NUMBERED);
    expect(broken({ calls: [CALL, LEAVES] })).toContain(NUMBERED);
    const unknown = sent({ value: false, atMs: 70_000, origin: { seq: 2, incarnation: 77 } });
    expect(broken({ calls: [CALL, ENTERS, unknown] })).toContain(NUMBERED);
  });

  test("a change that is not sent, but not by one that the world's end has cut off", () => {
    const outbox = [{ computationId: "a1" }] as ReturnType<typeof profile>["value"]["outbox"];
    const unsent = profile(0, { seq: 3, outbox });
    expect(broken({ profiles: [unsent] })).toEqual([NUMBERED]);
    const { endedAtMs } = story();
    expect(broken({ profiles: [{ ...unsent, atMs: endedAtMs - 5 }] })).toEqual([]);
    expect(broken({ profiles: [{ ...profile(0, { seq: 3 }), atMs: endedAtMs - 5 }] })).toEqual([NUMBERED]);
  });

  test("two changes of one moment, or one that is said to be earlier than the one before", () => {
    for (const atMs of [9_999, 10_000]) {
      const leaves = sent({ value: false, atMs, origin: { seq: 2 } });
      expect(broken({ calls: [CALL, ENTERS, leaves] })).toContain(RISE);
    }
  });

  test("a definition of before that holds again once the edited one did", () => {
    const writes = [version(1), version(5_000, { generation: 2 })];
    const [enters, leaves] = [2, 1].map((generation, index) =>
      sent({
        value: index === 0,
        atMs: index === 0 ? 10_000 : 70_000,
        origin: { generation, seq: index + 1 },
      }),
    ) as [typeof ENTERS, typeof LEAVES];
    expect(broken({ calls: [CALL, enters, leaves] }, writes)).toEqual([NUMBERED]);
  });

  test("a user who leaves although a call keeps them", () => {
    const calls = [CALL, ENTERS, given("m2", 30_000), LEAVES];
    const events = [event(0, { call: callOf("m1", 10_000) }), event(1, { call: callOf("m2", 30_000) })];
    expect(broken({ calls, profileEvents: events })).toContain(HOLDS);
  });

  test("a user who is let in by a definition that holds no more", () => {
    const definition = JSON.stringify({ event: "B", within: "60s" });
    const writes = [version(1, { definition, generation: 1 }), version(5_000, { generation: 2 })];
    expect(broken({}, writes)).toContain(HOLDS);
  });

  test("a member at the end who is none, and one who was not told of", () => {
    expect(broken({ calls: [CALL, ENTERS], profiles: [profile(0, { seq: 1 })] })).toEqual([MEMBERS]);
    const late = given("m1", CALM_MS);
    const profileEvents = [event(0, { call: callOf("m1", CALM_MS) })];
    expect(broken({ calls: [late], profileEvents, profiles: [profile(0, { seq: 0 })] })).toEqual([MEMBERS]);
  });

  test("a computed trait whose value is another one, or comes twice", () => {
    const definition = JSON.stringify({ event: "A", reduce: { fn: "count" } });
    const changes = { kind: "trait", definition };
    const trait = { ...AUDIENCE, ...changes };
    const counts = (...values: number[]) => {
      const all = values.map((value, at) => sent({ value, atMs: 10_000, origin: { seq: at + 1 } }, trait));
      return broken({ calls: [CALL, ...all], profiles: [profile(0, { seq: values.length })] }, [
        version(1, changes),
      ]);
    };
    expect(counts(1)).toEqual([]);
    expect(counts(2)).toEqual([HOLDS, MEMBERS]);
    expect(counts(1, 1)).toEqual([ALTERNATES, RISE]);
    expect(counts()).toEqual([MEMBERS]);
  });

  test("a computed trait that ends with another value than one that was true as the world ended, for however short a time", () => {
    const changes = {
      kind: "trait",
      definition: JSON.stringify({ event: "A", within: "60s", reduce: { fn: "count" } }),
    };
    // The first call leaves the window 81 ms before the second one does, and both do so within the last second.
    const times = [58_960, 59_041] as const;
    const trait = { ...AUDIENCE, ...changes };
    const values = [...times.map((atMs, place) => [place + 1, atMs]), [1, times[0] + 60_000]] as const;
    const endingWith = (last: number) => {
      const calls = values.map(([value = 0, atMs = 0], place) =>
        sent({ value: place === 2 ? last : value, atMs, origin: { seq: place + 1 } }, trait),
      );
      const given = times.map((atMs) => callAt(atMs));
      const profileEvents = times.map((atMs, offset) => event(offset, { call: callOf(`m${atMs}`, atMs) }));
      const profiles = [profile(0, { seq: 3, appliedOffset: 1 })];
      const whole = { calls: [...given, ...calls], profileEvents, profiles, endedAtMs: 119_940 };
      return broken(whole, [version(1, changes)]);
    };
    expect(endingWith(1)).toEqual([]);
    expect(endingWith(3)).toContain(MEMBERS);
  });

  test("what is sent of a paused audience, once every processor knows that it is", () => {
    const writes = [version(1), version(20_000, { isPaused: true })];
    expect(broken({}, writes)).toEqual([]);
    const calmMs = 35_000;
    const whole = story({}, writes);
    const calm = { ...whole, plan: { ...whole.plan, timing: { ...whole.plan.timing, calmMs } } };
    expect(brokenBy(calm)).toEqual([SILENT]);
    const resumed = [...writes, version(60_000)];
    expect(brokenBy({ ...calm, plan: { ...calm.plan, audiences: resumed } })).toEqual([]);
  });

  test("members of an audience that ended who were not told that they left, unless it ended silently", () => {
    const ended = (isExitAll: boolean) => [
      version(1),
      version(20_000, { deletedAtMs: EPOCH_MS + 20_000, isExitAll }),
    ];
    const profiles = [profile(0, { results: [] })];
    expect(broken({ calls: [CALL, ENTERS], profiles }, ended(true))).toEqual([MEMBERS]);
    expect(broken({ calls: [CALL, ENTERS], profiles }, ended(false))).toEqual([]);
    const left = sent({ value: false, atMs: 21_000, origin: { seq: 2 } });
    expect(broken({ calls: [CALL, ENTERS, left], profiles }, ended(true))).toEqual([]);
  });

  test("a row of an import that is not sent", () => {
    const writes = [version(1, { kind: "list", definition: null })];
    const listed = event(0, {
      kind: "list",
      listId: "a1",
      isMember: true,
      listedAtMs: EPOCH_MS + 10_000,
    });
    const none = { calls: [], profileEvents: [listed], profiles: [profile(0, { seq: 0 })] };
    expect(broken(none, writes)).toEqual([MEMBERS]);
    expect(broken({ ...none, calls: [ENTERS], profiles: [profile(0, { seq: 1 })] }, writes)).toEqual([]);
  });

  describe("a user who was deleted,", () => {
    const deletion = event(1, { kind: "delete", deletedAtMs: EPOCH_MS + 20_000 });
    const events = [event(0, { call: callOf("m1", 10_000) }), deletion];
    const gone = profile(1, { appliedOffset: 1, results: [], judgedAtMs: 0, deletedAtMs: EPOCH_MS + 20_000 });
    const anew = profile(2, { incarnation: 2, appliedOffset: 2, seq: 1 });
    const enters = sent({ value: true, atMs: 30_000, origin: { incarnation: 2, seq: 1 } });

    test("and of whom nothing more is sent, by nothing", () => {
      const calls = [CALL, ENTERS];
      expect(broken({ calls, profileEvents: events, profiles: [profile(0, { seq: 1 }), gone] })).toEqual([]);
    });

    test("and who is sent again for what came before the deletion", () => {
      const old = event(2, { call: callOf("m2", 15_000) });
      const all = { profileEvents: [...events, old], profiles: [profile(0, { seq: 1 }), gone, anew] };
      expect(broken({ ...all, calls: [CALL, ENTERS, enters] })).toEqual([HOLDS, MEMBERS, AWAY]);
    });

    test("but not by one who comes back", () => {
      const back = event(2, { call: callOf("m2", 30_000) });
      const leaves = sent({ value: false, atMs: 90_000, origin: { incarnation: 2, seq: 2 } });
      const calls = [CALL, ENTERS, given("m2", 30_000), enters, leaves];
      const profiles = [profile(0, { seq: 1 }), gone, { ...anew, value: { ...anew.value, results: [] } }];
      expect(broken({ calls, profileEvents: [...events, back], profiles })).toEqual([]);
    });

    test("nor by one who comes back, and of whom a call is sent again later that was deleted with the user", () => {
      const identify = (messageId: string, atMs: number, plan: string): ProfileEventCall => ({
        ...callOf(messageId, atMs),
        type: "identify",
        name: null,
        body: Buffer.from(JSON.stringify({ traits: { plan } })),
      });
      const back = [identify("m2", 30_000, "pro"), identify("m3", 35_000, "free"), callOf("m1", 40_000)];
      const profileEvents = [...events, ...back.map((call, index) => event(index + 2, { call }))];
      // The first call of the life was stored late, so time was further when it was judged.
      const changes = [30_001, 35_000].map((atMs, index) =>
        sent({ value: index === 0, atMs, origin: { incarnation: 2, seq: index + 1 } }),
      );
      const calls = [CALL, given("m2", 30_000), given("m3", 35_000), given("m1", 40_000), ...changes];
      const profiles = [profile(0, { seq: 0 }), gone, { ...anew, value: { ...anew.value, results: [] } }];
      const writes = [version(1, { definition: JSON.stringify({ trait: "plan", op: "eq", value: "pro" }) })];
      expect(broken({ calls, profileEvents, profiles }, writes)).toEqual([]);
    });

    test("nor by one whose call waited behind what the end of a suppression had changed, and the deletion drops unsent", () => {
      const ended = event(0, { kind: "suppress", isSuppressed: false, listedAtMs: EPOCH_MS + 84_999 });
      const profileEvents = [ended, deletion, event(2, { call: callOf("m2", 22_000) })];
      const brokenFrom = (firstMs: number): string[] => {
        const changes = [true, false].map((value, index) =>
          sent({ value, atMs: firstMs + index, origin: { incarnation: 2, seq: index + 1 } }),
        );
        const profiles = [profile(2, { incarnation: 2, appliedOffset: 2 })];
        return broken({ calls: [given("m2", 22_000), ...changes], profileEvents, profiles });
      };
      expect(brokenFrom(85_000)).toEqual([]);
      expect(brokenFrom(86_000)).toEqual([HOLDS]);
    });

    test("by a commit that passes the deletion before it is in the profile", () => {
      const { happenings } = story();
      const [begun, committed] = happenings as [Story["happenings"][number], Story["happenings"][number]];
      const further = { ...committed, offset: 2 } as Story["happenings"][number];
      const calls = [CALL, ENTERS];
      const all = { calls, profileEvents: events, happenings: [begun, further] };
      expect(broken({ ...all, profiles: [profile(0, { seq: 1 })] })).toEqual([PASSED]);
    });
  });

  describe("a user who is suppressed,", () => {
    const suppression = (offset: number, atMs: number, isSuppressed: boolean) => {
      const written = event(offset, { kind: "suppress", isSuppressed });
      return { ...written, atMs, record: { ...written.record, timestampMs: EPOCH_MS + atMs } };
    };
    const suppressions = [{ sourceId: null, fromOffset: 1, toOffset: null }];
    const events = [event(0, { call: callOf("m1", 10_000) }), suppression(1, 20_000, true)];
    const silent = profile(1, { seq: 1, appliedOffset: 1, suppressions });

    test("and who is let go by the clock", () => {
      const told = { calls: [CALL, ENTERS], profileEvents: events };
      expect(broken({ ...told, profiles: [silent] })).toEqual([]);
      const gone = { ...silent, value: { ...silent.value, results: [] } };
      expect(broken({ ...told, calls: [CALL, ENTERS, LEAVES], profiles: [gone] })).toEqual([SUPPRESSED]);
    });

    test("and whose profile does not know of it", () => {
      const unaware = profile(1, { seq: 1, appliedOffset: 1, suppressions: [] });
      expect(broken({ calls: [CALL, ENTERS], profileEvents: events, profiles: [unaware] })).toEqual([KNOWN]);
    });

    test("and of whom the differences are not sent when that ends", () => {
      const ended = [...events, suppression(2, 80_000, false)];
      const over = profile(0, { seq: 1, appliedOffset: 2, suppressions: [] });
      const told = { profileEvents: ended, profiles: [over] };
      expect(broken({ ...told, calls: [CALL, ENTERS] })).toEqual([MEMBERS]);
      const leaves = sent({ value: false, atMs: 80_000, origin: { seq: 2 } });
      const left = profile(0, { seq: 2, appliedOffset: 2, suppressions: [] });
      expect(broken({ ...told, calls: [CALL, ENTERS, leaves], profiles: [left] })).toEqual([]);
    });

    test("and of whom no exit is sent of an audience that ended later, unless their profile knew the end later still", () => {
      const ended = [...events, suppression(2, 30_000, false)];
      const writes = [version(1), version(35_000, { deletedAtMs: EPOCH_MS + 35_000, isExitAll: true })];
      const brokenWhere = (atMs: number) => {
        const over = profile(0, { seq: 1, results: [], appliedOffset: 2, suppressions: [] });
        const profiles = [{ ...over, atMs }];
        return broken({ calls: [CALL, ENTERS], profileEvents: ended, profiles }, writes);
      };
      expect(brokenWhere(31_000)).toEqual([MEMBERS]);
      expect(brokenWhere(40_000)).toEqual([]);
    });
  });
});
