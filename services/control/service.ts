import { randomBytes } from "node:crypto";
import { type Connection, REAL_WAYS, type Ways, watchConfiguration } from "#connection";
import { addressPolicy, createEgress } from "#egress";
import { releaseVersion, type ServiceDefinition } from "#runtime";
import { createSecretBox, createSigner } from "#secrets";
import { openStore } from "#state";
import { configurationTopics } from "#topics";
import { type ApiParts, openApi } from "./api.ts";
import { settings } from "./config.ts";
import { type ControlContext, connect } from "./connection.ts";
import { countAffected } from "./deliveries/affected-users.ts";
import { watchBacklog } from "./deliveries/backlog-watch.ts";
import { openHealth } from "./deliveries/health/open.ts";
import { INDEX_FILES, type IndexDisk } from "./deliveries/index/database.ts";
import { openIssueMarks } from "./deliveries/issues/marks.ts";
import { createSessions } from "./http/sessions.ts";
import { createTickets } from "./http/tickets.ts";
import { createIds } from "./ids.ts";
import { openConnectionSyncs } from "./jobs/connection-syncs/open.ts";
import { openDeletedAudiences } from "./jobs/deleted-audiences/open.ts";
import { openImports } from "./jobs/imports/open.ts";
import { openRegulations } from "./jobs/regulations/open.ts";
import { loadAll, openConfiguration, watchUnreadable } from "./open-configuration.ts";
import { openDeliveries } from "./open-deliveries.ts";
import { openStores } from "./open-stores.ts";
import { openBreakers } from "./records/breakers/open.ts";
import { createChangeQueue } from "./records/change-queue.ts";
import { createOwnedWork, ownsFirst } from "./records/durable-work/owned-work.ts";
import { openProfiles } from "./records/profiles/open.ts";
import { Slices } from "./records/profiles/slices.ts";
import { openSuppressed } from "./records/suppressions/suppressed.ts";
import { openAudiences } from "./resources/audiences/open.ts";
import { createDeletedUsers } from "./resources/regulations/deleted-users.ts";

/** What lies outside the process. */
export interface ControlOutside extends Ways {
  readonly createEgress: typeof createEgress;
  readonly randomBytes: (sizeBytes: number) => Buffer;
  readonly indexDisk: IndexDisk;
  readonly openStore: typeof openStore;
  /** Looks at topics and groups beside the work of the process. */
  readonly watch: typeof watch;
  /** The API's way in; resolves when requests are answered. */
  readonly openApi: typeof openApi;
}

const MACHINE: ControlOutside = {
  ...REAL_WAYS,
  createEgress,
  randomBytes,
  indexDisk: INDEX_FILES,
  openStore,
  watch,
  openApi,
};

/** The service in the world that `outside` leads to. It owns no data: configuration in, configuration and what became of calls out. */
export function createControl(outside: ControlOutside): ServiceDefinition<typeof settings> {
  return {
    name: "control",
    settings,
    async start(context) {
      return outside.openApi(context, await openParts(context, outside));
    },
  };
}

/** The control API (contract 10). */
export const control = createControl(MACHINE);

/** Opens everything that the routes work with; resolves when the configuration has been read to its end. */
async function openParts(context: ControlContext, outside: ControlOutside): Promise<ApiParts> {
  const { settings, lifecycle, host, nowMs } = context;
  const connection = connect(context, outside);
  const egress = outside.createEgress({ allowCidrs: settings.egress.allowCidrs, host });
  lifecycle.onStop("egress", () => egress.close());

  const slices = new Slices(host);
  const configured = openConfiguration(context, { ...connection, slices });
  const { audienceTable, destinationTable, sourceCosts, sourceTable, telemetry } = configured;
  outside.watch(context, connection);
  await loadAll(context, connection, [sourceTable, destinationTable, audienceTable]);
  const secrets = createSecretBox(settings.encryption);
  watchUnreadable(context, configured, secrets);
  const ids = createIds(outside.randomBytes);
  const stores = await openStores(context, connection, { ...configured, ids, secrets });
  const { producer, sources, formerKeys, audit, requestKeys, retryRequests } = stores;
  const shared = {
    destinations: stores.destinations,
    changes: createChangeQueue(host, { stores: [sources, stores.destinations] }),
    ...(await jobTopics(connection)),
    egress,
  };
  const suppressed = openSuppressed(context, connection);
  const owning = { ...connection, ownedWork: createOwnedWork(context, connection) };
  const regulations = openRegulations(context, { ...owning, ...shared, suppressed });
  const audiences = await openAudiences(context, { ...connection, ...stores, audienceTable });
  const profiles = openProfiles(context, { ...connection, ...outside, ...audiences, suppressed });
  openConnectionSyncs(context, { ...owning, ...shared, ...audiences, profiles, suppressed });
  const imports = openImports(context, { ...owning, ...audiences, producer, profiles, suppressed });
  const isFirstOwner = ownsFirst(owning.ownedWork, owning.topics.membershipImports);
  openDeletedAudiences(context, { ...audiences, ...imports, isFirstOwner });
  const deletedUsers = createDeletedUsers(regulations);
  const breakers = await openBreakers(context, connection);
  const watched = { deletedUsers, breakers, slices };
  const opened = openDeliveries(context, { ...owning, ...shared, ...outside, ...watched });
  const users = { ...shared, ...opened, ...audiences, ...settings.switch, profiles, slices, host };
  const health = await openHealth(context, { ...owning, ...shared, destinationTable });
  owning.ownedWork.start();
  return {
    ...shared,
    ...opened,
    health,
    countAffected: (asked) => countAffected(users, asked),
    issueMarks: await openIssueMarks(context, { ...connection, ...opened, producer }),
    breakers,
    regulations,
    deletedUsers,
    suppressed,
    ...audiences,
    profiles,
    slices,
    ...imports,
    ...{ sources, sourceCosts, formerKeys, audit, retryRequests },
    requestKeys: { ...requestKeys, auditLog: opened.auditLog },
    secrets,
    ...accessParts(context),
    delivery: settings.egress,
    addressPolicy: addressPolicy(settings.egress.allowCidrs),
    ids,
    telemetry,
    host,
    nowMs,
  };
}

/** Who asks, and what is answered. */
function accessParts({ host, nowMs, settings }: ControlContext) {
  const signer = createSigner(settings.encryption, "session");
  const signed = { signer, nowMs, newId: () => host.uuid() };
  return {
    sessions: { ...createSessions(signed), ...createTickets(signed) },
    installation: {
      version: releaseVersion(),
      hasAudiences: settings.switch.hasAudiences,
      maxRows: settings.index.maxRows,
    },
  };
}

function watch(context: ControlContext, connection: Connection): void {
  watchConfiguration(context, connection, configurationTopics(connection.topics));
  watchBacklog(context, connection);
}

/** What of the topics of jobs decides which options a destination may have. */
async function jobTopics({ kafka, topics }: Pick<Connection, "kafka" | "topics">) {
  return {
    partitions: await kafka.admin().partitionCount(topics.deliveryJobs.name, Number.POSITIVE_INFINITY),
    retryDelaysMs: topics.deliveryRetries.map(({ delayMs }) => delayMs),
  };
}
