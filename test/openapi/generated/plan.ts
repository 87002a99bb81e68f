// Every operation of the document once, with what it needs to succeed.
import { createProfile } from "#audiences";
import type { ControlService } from "#support/control-service";
import { attempt, deadLetter, refusedCalls, total } from "#support/records";
import { until } from "#support/until";
import type { TopicClient } from "../../../services/control/deliveries/fixtures/deliveries.ts";
import { startProcessor } from "../../../services/control/resources/audiences/fixtures/processor.ts";

export interface PlannedCall {
  readonly operation: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body as a file, in the media type that a client sends. */
  readonly csv?: string;
  readonly ndjson?: string;
}

export interface MadeCall {
  readonly status: number;
  /** What the client made of the answer; null for nothing. */
  readonly parsed: string | null;
}

const DEFINITION = { event: "A", within: "30d" };
const SUM = { ...DEFINITION, reduce: { fn: "sum", path: "properties.total" } };
const WEBHOOKS = [{ url: "http://127.0.0.1:9/", headers: { "x-key": "secret" } }];

/** A user who has done something; resolves to the id when control knows them. */
async function knownUser(control: ControlService, name: string): Promise<string> {
  const profile = createProfile(`user-of-${name}`, 0);
  profile.traits.set("plan", { value: "pro", atMs: 1, receivedAtMs: 1 });
  const processor = await startProcessor(control);
  await processor.keep(profile);
  const counts = { batch: 1, countedTo: 0, members: 0, isBeginning: false, hours: [] };
  await processor.count(...[0, 1].map((partition) => ({ id: "", partition, day: 0, ...counts })));
  await processor.close();
  await until(async () => (await control.ask(`/v1/profiles/${profile.id}`)).status === 200, {
    timeoutMs: 60_000,
    what: "the profile to be read",
  });
  return profile.id;
}

/** What the calls are about; made without the client. `name` is this client's own. */
async function prepare(control: ControlService, topics: TopicClient, name: string) {
  const made = async (path: string, body: object) => {
    const answer = await control.ask(path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const id = async (path: string, body: object): Promise<string> => (await made(path, body)).id;
  const source = await made("/v1/sources", { name });
  const sourceIds = [source.id];
  const destination = await id("/v1/destinations", { name, sourceIds, webhooks: WEBHOOKS, enabled: true });
  const [died, deadAtMs] = [`dl-${name}`, Date.now()];
  const ids = { destinationId: destination, sourceId: source.id };
  await topics.write(control.topics.deliveryAttempts, [attempt({ ...ids, startedAtMs: deadAtMs })]);
  const minuteMs = Math.floor(deadAtMs / 60_000) * 60_000;
  await topics.write(control.topics.deliveryTotals, [total({ destinationId: destination, minuteMs })]);
  await topics.write(control.topics.deadLetters, [deadLetter({ ...ids, id: died, deadAtMs })]);
  await until(async () => (await control.ask(`/v1/dead-letters/${died}`)).status === 200, {
    timeoutMs: 60_000,
    what: "the dead letter to be indexed",
  });
  await topics.write(control.topics.refusedCalls, [refusedCalls({ sourceId: source.id, atMs: deadAtMs })]);
  const refusedPath = `/v1/sources/${source.id}/refused-calls`;
  await until(async () => (await control.ask(refusedPath)).body.data.length > 0, {
    timeoutMs: 60_000,
    what: "the refused call to be indexed",
  });
  const { issueIds } = (await control.ask(`/v1/dead-letters/${died}`)).body;
  await made(`/v1/sources/${source.id}/write-keys`, {});
  const regulation = { regulationType: "SUPPRESS_ONLY", subjectType: "USER_ID", subjectIds: ["u1"] };
  return {
    ...{
      source,
      sourceIds,
      destination,
      died,
      refused: (await control.ask(refusedPath)).body.data[0].id as string,
      regulation,
    },
    issue: issueIds[0] as string,
    user: await knownUser(control, name),
    otherSource: await id("/v1/sources", { name: `${name} other` }),
    otherDestination: await id("/v1/destinations", { name: `${name} other`, sourceIds, webhooks: WEBHOOKS }),
    replay: (await made("/v1/replays", { destinationId: destination, which: "all" })).replayId as string,
    regulationId: await id("/v1/regulations", regulation),
    list: await id("/v1/audiences", { name: `${name} list`, kind: "list" }),
    audience: await id("/v1/audiences", { name: `${name} audience`, definition: DEFINITION }),
    trait: await id("/v1/computed-traits", { name: `${name} trait`, definition: SUM }),
  };
}

export async function planOf(
  control: ControlService,
  topics: TopicClient,
  name: string,
): Promise<readonly PlannedCall[]> {
  const has = await prepare(control, topics, name);
  const [source, destination] = [{ id: has.source.id as string }, { id: has.destination }];
  const [list, audience, trait] = [{ id: has.list }, { id: has.audience }, { id: has.trait }];
  const anImport = { ...list, importId: "first" };
  return [
    { operation: "createSource", body: { name: `${name} new`, labels: { team: "growth" } } },
    { operation: "listSources", query: { limit: "1" } },
    { operation: "listSourceSummaries", query: { ids: source.id } },
    { operation: "getSource", path: source },
    { operation: "patchSource", path: source, body: { labels: { env: "test" } } },
    { operation: "addWriteKey", path: source },
    { operation: "endWriteKey", path: { ...source, key: has.source.writeKeys[0] } },
    {
      operation: "createDestination",
      body: { name: `${name} new`, sourceIds: has.sourceIds, webhooks: WEBHOOKS, filter: { event: "A" } },
    },
    { operation: "listDestinations" },
    { operation: "listDestinationSummaries", query: { ids: destination.id } },
    { operation: "getDestination", path: destination },
    { operation: "patchDestination", path: destination, body: { retryDelays: ["1m", "2h"], events: ["A"] } },
    { operation: "testDestination", path: destination, body: {} },
    { operation: "pauseDestination", path: destination, body: { callsWaitFor: "1h" } },
    { operation: "resumeDestination", path: destination },
    { operation: "retryDestination", path: destination },
    { operation: "listWaitingCalls", path: destination },
    { operation: "listAttempts", path: destination },
    { operation: "listDeliveries", query: { status: "5xx" } },
    { operation: "listSourceCalls", path: source, query: { event: "A" } },
    { operation: "listRefusedCalls", path: source, query: { code: "event_not_defined" } },
    { operation: "getRefusedCalls", path: { ...source, refusedId: has.refused } },
    { operation: "testFilter", body: { sourceId: source.id, filter: { event: "A" } } },
    { operation: "getStats", path: destination, query: { step: "hour" } },
    { operation: "getFlow", query: { minutes: "15" } },
    { operation: "getCallStats", query: { step: "day" } },
    { operation: "getSourceStats", path: source, query: { groupBy: "eventType" } },
    { operation: "getCall", path: { messageId: "m1" }, query: { sourceId: source.id } },
    {
      operation: "getSentCall",
      path: { messageId: "m1", destinationId: destination.id },
      query: { sourceId: source.id },
    },
    { operation: "watchSource", path: source },
    { operation: "watchDestination", path: destination },
    { operation: "createSourceTicket", path: source },
    { operation: "createDestinationTicket", path: destination },
    { operation: "listReasons" },
    { operation: "getMe" },
    { operation: "getInfo" },
    { operation: "listTokens" },
    { operation: "beginSession" },
    { operation: "endSession" },
    { operation: "listDeadLetters", query: { destinationId: destination.id } },
    { operation: "getDeadLetter", path: { id: has.died } },
    { operation: "listIssues", query: { destinationId: destination.id, state: "open" } },
    { operation: "getIssue", path: { id: has.issue } },
    { operation: "patchIssue", path: { id: has.issue }, body: { state: "acknowledged" } },
    { operation: "replayDeadLetters", body: { ids: [has.died] } },
    { operation: "replayCalls", body: { destinationId: destination.id, which: "all" } },
    { operation: "replaySource", path: source, body: {} },
    { operation: "listReplays" },
    { operation: "getReplay", path: { id: has.replay } },
    { operation: "cancelReplay", path: { id: has.replay } },
    { operation: "startRegulation", body: { ...has.regulation, subjectIds: ["u2"] } },
    { operation: "listRegulations" },
    { operation: "getRegulation", path: { id: has.regulationId } },
    { operation: "createAudience", body: { name: `${name} new`, kind: "audience", definition: DEFINITION } },
    { operation: "listAudiences" },
    { operation: "getAudience", path: audience },
    { operation: "patchAudience", path: audience, body: { paused: true } },
    { operation: "previewComputedTrait", body: { definition: SUM } },
    { operation: "previewAudience", body: { definition: DEFINITION } },
    { operation: "getMembers", path: audience },
    { operation: "exportMembers", path: audience },
    { operation: "getOverlap", path: audience, query: { with: has.list } },
    { operation: "getSizes", path: audience },
    { operation: "getProfile", path: { id: has.user } },
    {
      operation: "importMembers",
      path: anImport,
      query: { mode: "add" },
      csv: "userId\nu3\n",
      ndjson: '{"userId":"u3"}\n',
    },
    { operation: "getImport", path: anImport },
    { operation: "confirmImport", path: anImport },
    { operation: "createComputedTrait", body: { name: `${name} new trait`, definition: SUM } },
    { operation: "listComputedTraits" },
    { operation: "getComputedTrait", path: trait },
    { operation: "patchComputedTrait", path: trait, body: { name: `${name} trait!` } },
    { operation: "getValues", path: trait },
    { operation: "exportValues", path: trait },
    { operation: "listAuditEntries" },
    { operation: "deleteComputedTrait", path: trait },
    { operation: "deleteAudience", path: audience },
    { operation: "deleteDestination", path: { id: has.otherDestination } },
    { operation: "deleteSource", path: { id: has.otherSource } },
  ];
}
