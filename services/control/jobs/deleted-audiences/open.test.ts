// What is left of deleted lists and audiences, over HTTP and in the topics of a real Kafka.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { connect } from "#connection";
import { type ControlService, problemFields, startControl } from "#support/control-service";
import { until } from "#support/until";
import type { AudienceConfig, MembershipImport } from "#topics";
import { progressOf } from "../../resources/audiences/fixtures/progress.ts";
import { control, processor, useProcessor } from "../../resources/audiences/fixtures/use-processor.ts";

const KEPT = { HOOKLINE_DELETED_AUDIENCE_RETENTION: "1s" };
const WAIT = { timeoutMs: 30_000 };
const PARTITIONS = [0, 1];

let other: ControlService;
let reader: ReturnType<typeof connect>;

afterAll(async () => {
  await reader?.close();
  await other?.stop();
});
useProcessor({ settings: KEPT });
beforeAll(async () => {
  const { keys, prefix, stack } = control;
  other = await startControl({ stack, prefix, keys, settings: KEPT });
  await processor.fold();
  const { audienceConfig, membershipImports } = control.topics;
  reader = connect({
    kafka: { brokers: stack.brokers, clientId: "reader-of-a-test", tls: false },
    registryUrl: stack.registryUrl,
    topics: [audienceConfig, membershipImports],
  });
  await reader.serde.start();
}, 180_000);

async function made(body: object): Promise<string> {
  const answer = await control.ask("/v1/audiences", { body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

test("of a deleted list only its key is left once every partition has let go of it; the list beside it keeps all", async () => {
  const { audienceConfig, membershipImports } = control.topics;
  const { kafka, serde } = reader;
  const configs = kafka.table<AudienceConfig>({
    topic: audienceConfig.name,
    decode: ({ value }) => serde.decode(audienceConfig, value),
  });
  const imports = kafka.table<MembershipImport>({
    topic: membershipImports.name,
    decode: ({ value }) => serde.decode(membershipImports, value),
  });
  await Promise.all([configs.load(), imports.load()]);
  const lists = [await made({ name: "Goes", kind: "list" }), await made({ name: "Stays", kind: "list" })];
  const isApplied = (id: string): boolean => imports.get(`${id}:first`)?.state === "applied";
  for (const id of lists) {
    const path = `/v1/audiences/${id}/members/first`;
    const answer = await control.ask(path, {
      method: "PUT",
      headers: { "content-type": "text/csv" },
      body: "userId\nu1\n",
    });
    expect(answer.status).toBe(202);
    // The second one begins with events that the first one has left.
    await until(() => isApplied(id), { ...WAIT, what: "the import" });
  }
  const [goes = "", stays = ""] = lists;
  expect((await control.ask(`/v1/audiences/${goes}`, { method: "DELETE" })).status).toBe(204);
  await until(() => imports.get(`${goes}:first`) === undefined, { ...WAIT, what: "the import's end" });
  expect(configs.get(goes)).toMatchObject({ isForgotten: false, name: "Goes" });
  await processor.report(
    progressOf(goes, 0, { state: "deleted" }),
    progressOf(goes, 1, { state: "preparing" }),
  );
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(configs.get(goes)).toMatchObject({ isForgotten: false, name: "Goes" });
  await processor.report(progressOf(goes, 1, { state: "deleted" }));
  await until(() => configs.get(goes)?.isForgotten === true, { ...WAIT, what: "the list's end" });
  expect(configs.get(goes)).toMatchObject({ id: goes, key: "goes", name: "", definition: null });
  for (const each of [control, other]) {
    expect((await each.ask(`/v1/audiences/${goes}`)).status).toBe(404);
    const again = await each.ask("/v1/audiences", { body: { name: "Goes", kind: "list" } });
    expect([again.status, Object.keys(problemFields(again))]).toEqual([422, ["name"]]);
  }
  await processor.report(...PARTITIONS.map((partition) => progressOf(stays, partition)));
  const stayed = async () => (await control.ask(`/v1/audiences/${stays}`)).body;
  await until(async () => (await stayed()).status === "live", {
    ...WAIT,
    what: "the progress of the other one",
  });
  expect(await stayed()).toMatchObject({ name: "Stays" });
  expect((await control.ask(`/v1/audiences/${stays}/imports/first`)).body).toMatchObject({ rows: 1 });
  const audited = (await control.ask(`/v1/audit?resourceId=${goes}`)).body.data;
  expect(audited.map(({ action }: { action: string }) => action).sort()).toEqual(["created", "deleted"]);
}, 180_000);
