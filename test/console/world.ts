// The product with sources, destinations that fail in ways of their own, an audience and calls: what the console shows in tests and in pictures.
import { requestJson } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import type { TestStack } from "#support/stack";
import { until } from "#support/until";

const DELAY_MS = 1_200_000;
const TIMEOUT_MS = 60_000;

type Named = "source" | "failing" | "refusing" | "well" | "audience" | "trait";

interface Call {
  readonly userId: string;
  readonly event: string;
  readonly messageId: string;
}

export interface WorldOptions {
  readonly names: Readonly<Record<Named, string>>;
  /** Track calls; the audience counts those of the first one's event. */
  readonly calls: readonly [Call, ...Call[]];
  /** Of the endpoints that fail. */
  readonly answer: string;
  /** HOOKLINE_ variables beside its own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The test run's unless given. */
  readonly stack?: TestStack;
}

export interface World {
  readonly deployment: Deployment;
  readonly receiver: Receiver;
  readonly source: { readonly id: string; readonly writeKeys: readonly string[] };
  /** Ids of destinations: one whose endpoint answers 503, one whose answers 400. */
  readonly failing: string;
  readonly refusing: string;
  /** Of the endpoint that answers 503. */
  readonly issueId: string;
  readonly audienceId: string;
  readonly traitId: string;
  readonly listId: string;
  readonly api: <T>(path: string, body?: unknown) => Promise<T>;
  readonly send: (call: object) => ReturnType<Deployment["send"]>;
  readonly close: () => Promise<void>;
}

/** Resolves when a call has died at one destination and waits at another. Whoever opens it must close it. */
export async function openWorld({ answer, calls, names, settings, stack }: WorldOptions): Promise<World> {
  const receiver = await startReceiver();
  receiver.script("/failing", { status: 503, body: answer });
  receiver.script("/refusing", { status: 400, body: answer });
  const deployment = await startDeployment({
    ...(stack !== undefined && { stack }),
    retryDelaysMs: [DELAY_MS],
    settings: { HOOKLINE_RECORDED_ATTEMPTS: "all", HOOKLINE_RECORDED_CALLS: "all", ...settings },
  });
  await deployment.addProcess("audience-processor");
  const api = askOf(deployment);
  const source = await deployment.control.createSource(names.source);
  const destination = async (name: string, path: string): Promise<string> => {
    const webhooks = [{ url: receiver.url(path), headers: { "x-note": "<b>a header</b>" } }];
    return (await deployment.control.createDestination({ name, sourceIds: [source.id], webhooks })).id;
  };
  const failing = await destination(names.failing, "/failing");
  const refusing = await destination(names.refusing, "/refusing");
  await destination(names.well, "/well");
  const [{ event }] = calls;
  const made = async (path: string, name: string, more: object): Promise<string> => {
    const body = { name, definition: { event, within: "1d", ...more } };
    return (await api<{ id: string }>(path, body)).id;
  };
  const audienceId = await made("/v1/audiences", names.audience, {});
  const traitId = await made("/v1/computed-traits", names.trait, { reduce: { fn: "count" } });
  const { id: listId } = await api<{ id: string }>("/v1/audiences", { name: "Guests", kind: "list" });
  const send: World["send"] = (call) => deployment.send(source.writeKeys[0], "track", call);
  for (const call of calls) await send(call);
  await receiver.untilReceived("/failing", 1, TIMEOUT_MS);
  await until(async () => (await api<{ data: unknown[] }>("/v1/dead-letters")).data.length >= 1, {
    timeoutMs: TIMEOUT_MS,
    what: "the dead letter",
  });
  const issues = () => api<{ data: readonly { id: string }[] }>(`/v1/issues?destinationId=${failing}`);
  const issueId = await until(async () => (await issues()).data[0]?.id ?? false, {
    timeoutMs: TIMEOUT_MS,
    what: "the issue",
  });
  return {
    ...{ deployment, receiver, source, failing, refusing, issueId, audienceId, traitId, listId, api, send },
    async close() {
      await deployment.stop();
      await receiver.close();
    },
  };
}

function askOf(deployment: Deployment): World["api"] {
  return async <T>(path: string, body?: unknown): Promise<T> => {
    const given = body === undefined ? {} : { body };
    const answer = await requestJson<T>(`${deployment.controlUrl()}${path}`, given);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

interface Shown extends Pick<Call, "messageId" | "userId"> {
  readonly regulationId: string;
}

/** Every page that has something to show, by a name of its own. */
export function pagesOf(
  { audienceId, failing, issueId, listId, refusing, source, traitId }: World,
  { messageId, regulationId, userId }: Shown,
): readonly (readonly [name: string, path: string])[] {
  const user = encodeURIComponent(userId);
  return [
    ["overview", "/?span=day"],
    ["sources", "/sources"],
    ["new-source", "/sources/new"],
    ["source", `/sources/${source.id}`],
    ["live-calls", `/sources/${source.id}/live`],
    ["calls-of-one", `/sources/${source.id}/calls`],
    ["refused-calls", `/sources/${source.id}/refused`],
    ["source-statistics", `/sources/${source.id}/statistics?span=week`],
    ["destinations", "/destinations"],
    ["new-destination", `/destinations/new?sourceId=${source.id}`],
    ["destination", `/destinations/${failing}`],
    ["issues-of-one", `/destinations/${failing}/issues`],
    ["calls-at-one", `/destinations/${failing}/calls`],
    ["attempts", `/destinations/${failing}/attempts`],
    ["waiting", `/destinations/${failing}/waiting`],
    ["dead-letters-of-one", `/destinations/${refusing}/dead-letters`],
    ["send-again", `/destinations/${failing}/again`],
    ["test-call", `/destinations/${failing}/test`],
    ["settings", `/destinations/${failing}/settings`],
    ["edit", `/destinations/${failing}/edit`],
    ["secret", `/destinations/${failing}/secret`],
    ["find-call", "/calls"],
    ["call", `/calls/${encodeURIComponent(messageId)}?sourceId=${source.id}`],
    ["issues", "/issues"],
    ["issue", `/issues/${issueId}`],
    ["dead-letters", "/dead-letters"],
    ["replays", "/replays"],
    ["audiences", "/audiences"],
    ["audience", `/audiences/${audienceId}?userId=${user}`],
    ["new-audience", "/audiences/new"],
    ["edit-audience", `/audiences/${audienceId}/edit`],
    ["upload", `/audiences/${listId}/import`],
    ["traits", "/traits"],
    ["new-trait", "/traits/new"],
    ["edit-trait", `/traits/${traitId}/edit`],
    ["trait", `/traits/${traitId}`],
    ["find-user", "/profiles"],
    ["user", `/profiles/${user}`],
    ["deletions", "/deletions"],
    ["deletion", `/deletions/${regulationId}`],
    ["audit", "/audit"],
    ["installation", "/settings"],
  ];
}
