// Regulations on a simulated Kafka: how the parts are put together, and what two processes make of it.

import { describe, expect, test } from "@jest/globals";
import { UNITS_MS } from "#contract";
import { PASS } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { Regulation } from "#topics";
import { quietProcess } from "../../../../test/simulation/world/fixtures/quiet-process.ts";
import { type QuietWorld, startWorld } from "../../../../test/simulation/world/fixtures/quiet-world.ts";
import { createOwnedWork } from "../../records/durable-work/owned-work.ts";
import { ofSource } from "../../resources/destinations/configured.ts";
import { regulation } from "../../resources/regulations/fixtures/regulation.ts";
import type { RegulationStore } from "../../resources/regulations/store.ts";
import { openRegulations } from "./open.ts";
import { WRITTEN_KINDS } from "./worker.ts";

const DESTINATIONS = [{ enabled: true, sourceIds: ["s1", "s2"] }];

/** One control process's share, at eight notifications a second. */
function process(quiet: QuietWorld, name: string) {
  const { host, kafka, lifecycle, logger, metrics, serde, topics } = quietProcess(quiet, name);
  const opened: RegulationStore[] = [];
  const open = async (): Promise<void> => {
    await serde.start();
    const ownedWork = createOwnedWork({ lifecycle, settings: { topics: { prefix: "" } } }, { kafka, topics });
    opened.push(
      openRegulations(
        {
          lifecycle,
          logger,
          metrics,
          host,
          nowMs: () => host.now(),
          health: { readiness: () => undefined } as never,
          settings: { regulations: { notificationsPerSecond: 8 } },
        },
        {
          kafka,
          ownedWork,
          serde,
          topics,
          destinations: {
            hasAny: (group) => DESTINATIONS.some(({ sourceIds }) => sourceIds.map(ofSource).includes(group)),
            refresh: async () => undefined,
          },
          suppressed: { look: async () => undefined },
        },
      ),
    );
    ownedWork.start();
  };
  void open();
  const store = (): RegulationStore => {
    const [given] = opened;
    if (given === undefined) throw new Error("it is not open yet");
    return given;
  };
  return { host, lifecycle, metrics, running: () => metrics.value("control_regulations_open"), store };
}

function setup() {
  const quiet = startWorld({ processes: [], destinations: [] });
  const countOf = (name: "calls" | "suppressions" | "profileEvents") =>
    quiet.world.cluster.records(quiet.world.topics[name].name).flat().length;
  const settled = () => {
    const { name } = quiet.world.topics.regulations;
    const committed = quiet.world.cluster.committed("control", name);
    return quiet.world.cluster
      .bounds(name)
      .every(({ high }, partition) => (committed.get(partition) ?? 0) === high);
  };
  return { ...quiet, countOf, settled, start: (name: string) => process(quiet, name) };
}

const asked = (
  changes: Partial<Regulation>,
  type?: "SUPPRESS_WITH_DELETE" | "SUPPRESS_ONLY" | "UNSUPPRESS",
) => regulation({ createdAtMs: EPOCH_MS, ...changes }, type);

describe("regulations of a process", () => {
  test("are worked on from their record to their end, and counted", async () => {
    const { countOf, settled, start, until } = setup();
    const { metrics, running, store } = start("control-1");
    await until(5_000);
    expect(running()).toBe(0);
    const subjectIds = Array.from({ length: 8 }, (_, index) => `u${index}`);
    void store().put(asked({ subjectIds }, "SUPPRESS_WITH_DELETE"));
    await until(7_000);
    expect([running(), settled()]).toEqual([1, false]);
    expect(countOf("calls")).toBeLessThan(16);
    await until(20_000);
    expect([countOf("suppressions"), countOf("profileEvents"), countOf("calls")]).toEqual([8, 16, 16]);
    expect(store().get("reg_1")).toMatchObject({ state: "finished", notified: 16, subjectIds: [] });
    const written = (kind: string) => metrics.total("control_regulation_records_total", { kind });
    expect(WRITTEN_KINDS.map(written)).toEqual([8, 8, 16]);
    expect([running(), settled()]).toEqual([0, true]);
  });

  test("go on in the other process when theirs stops, from where it came to", async () => {
    const { countOf, start, until } = setup();
    const [one, other] = [start("control-1"), start("control-2")];
    await until(10_000);
    void one.store().put(asked({ subjectIds: Array.from({ length: 20 }, (_, index) => `u${index}`) }));
    await until(12_000);
    expect([one.running(), other.running()].sort()).toEqual([0, 1]);
    const owner = one.running() === 1 ? one : other;
    const next = owner === one ? other : one;
    let status: number | undefined;
    void owner.lifecycle.stop().then((given) => {
      status = given;
    });
    await until(40_000);
    expect(status).toBe(0);
    expect([countOf("calls"), next.store().get("reg_1")?.state]).toEqual([40, "finished"]);
  });

  test("that a process was frozen over end in the other one, behind which it writes nothing when it goes on", async () => {
    const { countOf, start, until } = setup();
    const [one, other] = [start("control-1"), start("control-2")];
    await until(10_000);
    void one.store().put(asked({ subjectIds: Array.from({ length: 40 }, (_, index) => `u${index}`) }));
    await until(13_000);
    const [owner, next] = one.running() === 1 ? [one, other] : [other, one];
    owner.host.freeze();
    await until(45_000);
    expect([next.store().get("reg_1")?.state, next.running()]).toEqual(["finished", 0]);
    const written = countOf("calls");
    owner.host.thaw();
    await until(75_000);
    expect([one, other].map(({ store }) => store().get("reg_1")?.state)).toEqual(["finished", "finished"]);
    // A few may be notified of twice, under the same message ids.
    expect(countOf("calls") - written).toBeLessThan(8);
  });

  test("are asked for once where the answer is lost: none begins anew behind what was noted of it", async () => {
    const { countOf, start, until, world } = setup();
    const { store } = start("control-1");
    await until(5_000);
    let isLost = false;
    world.cluster.faults = {
      decide({ api, partitions = [] }) {
        const isAsking = api === "produce" && partitions[0]?.topic === world.topics.regulations.name;
        if (isLost || !isAsking) return PASS;
        isLost = true;
        return { kind: "lose_answer", noticedAfterMs: 3_000 };
      },
    };
    const answered = store().put(asked({}, "SUPPRESS_WITH_DELETE"));
    await until(20_000);
    await answered;
    expect([countOf("calls"), store().get("reg_1")?.state]).toEqual([4, "finished"]);
  });

  test("for the same user act in their order, whatever partitions their records have", async () => {
    const { start, until, world } = setup();
    const { store } = start("control-1");
    await until(5_000);
    const ids = ["a", "b", "c", "d", "e", "f"];
    // The newest is written first.
    for (const [index, id] of [...ids.entries()].reverse())
      void store().put(
        asked({ id, createdAtMs: EPOCH_MS + index }, index % 2 === 0 ? "SUPPRESS_ONLY" : "UNSUPPRESS"),
      );
    await until(20_000);
    const records = world.cluster.records(world.topics.suppressions.name);
    const ofPartitions = records.map((ofOne) =>
      ofOne.map(({ value }) => (value === null ? "ends" : "begins")),
    );
    expect(ofPartitions.flat()).toHaveLength(2 * ids.length);
    expect(ofPartitions.flatMap((ofOne) => ofOne.at(-1) ?? [])).not.toContain("begins");
    expect(
      store()
        .list()
        .map(({ state }) => state),
    ).toEqual(ids.map(() => "finished"));
  });

  test("that cannot be read are said and passed over", async () => {
    const { settled, start, until, world, writeRaw } = setup();
    const { store } = start("control-1");
    await until(5_000);
    writeRaw(world.topics.regulations.name, "bad", Buffer.from("junk"));
    void store().remove(["gone"]);
    await until(10_000);
    const [line] = world.logs.lines.filter(({ message }) => message === "a regulation cannot be read");
    expect(line).toMatchObject({ level: "error", facts: { regulationId: "bad" } });
    expect(settled()).toBe(true);
  });

  test("that have ended are forgotten with the last dead letters of calls that came before them", async () => {
    const { start, until } = setup();
    const { store } = start("control-1");
    await until(5_000);
    // A letter is kept for two weeks; its call may have waited for two.
    for (const days of [27, 29])
      void store().put(
        asked({ id: `${days}`, state: "finished", updatedAtMs: EPOCH_MS - days * UNITS_MS.d }),
      );
    await until(10_000);
    expect(store().list()).toHaveLength(2);
    await until(3_610_000);
    expect(store().list()).toEqual([expect.objectContaining({ id: "27" })]);
  });
});
