// `hookline backup` and `hookline restore`: what was configured, to a file and back.
import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import { clientIdOf } from "#contract";
import { clusterSettings, encryptionSettings, readSettings, releaseVersion, type SettingsOf } from "#runtime";
import { type ConfigurationTopic, configurationTopics, topicMap } from "#topics";
import { type CommandContext, readPieces } from "../context.ts";
import { CommandError, EXIT } from "../exit-codes.ts";
import { addShownLeaf } from "../leaf.ts";
import { printJson } from "../output.ts";
import type { Entry, RestoredEntry, Verdict } from "./index.ts";

/** Settings of a restore, with the keys that the services of the deployment have. */
const restoreSettings = { ...clusterSettings, encryption: encryptionSettings };

/** Records by the names that people use. */
const KINDS = {
  sources: "source-config",
  destinations: "destination-config",
  audiences: "audience-config",
  suppressions: "suppression",
  regulations: "regulation",
} as const;

type Kind = keyof typeof KINDS;

interface BackupCommandOptions {
  readonly json?: boolean;
}

interface RestoreCommandOptions extends BackupCommandOptions {
  readonly dryRun?: boolean;
  readonly only?: readonly Kind[];
  readonly skipUnreadable?: boolean;
}

export function addBackupCommands(program: Command, context: CommandContext): void {
  addShownLeaf(program, "backup <file>", {
    description:
      "write sources, destinations, audiences, traits, regulations and suppressions to one file, or with - to standard output",
    examples: ["backup hookline-2026-01-31.ndjson", "backup today.ndjson --json"],
  }).action((path: string, options: BackupCommandOptions) => writeBackup(context, path, options));
  addShownLeaf(program, "restore <file>", {
    description:
      "bring back entries of a backup (- is standard input) that the topics lack; newer entries there stay",
    examples: ["restore hookline-2026-01-31.ndjson --dry-run", "restore today.ndjson --only destinations"],
  })
    .option("--dry-run", "say what would be done, and do nothing")
    .option(
      "--skip-unreadable",
      "leave out, and name, destinations with secrets that no configured encryption key opens",
    )
    .addOption(new Option("--only <kind...>", "nothing but these").choices(Object.keys(KINDS)))
    .action((path: string, options: RestoreCommandOptions) => restoreBackup(context, path, options));
}

async function writeBackup(
  context: CommandContext,
  path: string,
  { json }: BackupCommandOptions,
): Promise<void> {
  const settings = readSettings(clusterSettings, {
    processName: "hookline backup",
    environment: context.environment,
  });
  const { backUp } = await import("./index.ts");
  const write = (text: string): Promise<void> => {
    context.write(text);
    return context.drained();
  };
  const done = await connected(context, settings, ({ connection, topics }) =>
    backUp({
      ...{ connection, topics, path, write },
      ...{ version: releaseVersion(), nowMs: Date.now(), onProgress: context.say },
    }),
  );
  if (path !== "-" && json === true) printJson(context, { file: path, ...done });
  else if (path !== "-") context.print(`${path} is written.`);
  for (const key of done.unreadable) context.say(`${key} cannot be read: it is not in the backup`);
  if (done.unreadable.length > 0) context.endWith(EXIT.failed);
}

async function restoreBackup(
  context: CommandContext,
  path: string,
  { dryRun: isDryRun = false, json, only, skipUnreadable = false }: RestoreCommandOptions,
): Promise<void> {
  const settings = readRestoreSettings(context, isDryRun);
  const wanted = new Set<string>((only ?? (Object.keys(KINDS) as Kind[])).map((kind) => KINDS[kind]));
  const { restore, unreadableEntries } = await import("./index.ts");
  const all = (await read(context, path)).filter(({ record }) => wanted.has(record));
  const unreadable = unreadableEntries(all, settings.encryption.keys, Date.now());
  const known = settings.encryption.keys.map(({ id }) => id);
  if (unreadable.size > 0)
    tellMissingKeys(context, unreadable, { isRefused: !isDryRun && !skipUnreadable, known });
  const entries = all.filter((entry) => !unreadable.has(entry));
  const done = await connected(context, settings, ({ connection, topics }) =>
    restore({
      ...{ connection, entries, isDryRun },
      topics: topics.filter(({ topic }) => wanted.has(topic.record)),
      mark: randomUUID(),
      onProgress: context.say,
    }),
  );
  const leftOut = [...unreadable].map(([{ record, key }, missingKeys]) => ({ record, key, missingKeys }));
  show(context, { done, leftOut }, { json, isDryRun });
  if (leftOut.length > 0 || done.some(({ verdict }) => verdict === "differing")) context.endWith(EXIT.failed);
}

/** A dry run writes nothing: it needs no key. */
function readRestoreSettings(
  { environment }: CommandContext,
  isDryRun: boolean,
): SettingsOf<typeof restoreSettings> {
  const of = { processName: "hookline restore", environment };
  try {
    return readSettings(restoreSettings, of);
  } catch (error) {
    if (!isDryRun) throw error;
    return { ...readSettings(clusterSettings, of), encryption: { keys: [] } };
  }
}

async function read(context: CommandContext, path: string): Promise<readonly Entry[]> {
  const { readBackup } = await import("./index.ts");
  try {
    return await readBackup(readPieces(context, path));
  } catch (error) {
    const { message, name } = error as Error;
    throw name === "BackupError" ? new CommandError(`${path}: ${message}`, EXIT.failed) : error;
  }
}

/** Throws a CommandError when the restore is refused for it. */
function tellMissingKeys(
  { say }: CommandContext,
  unreadable: ReadonlyMap<Entry, readonly string[]>,
  { isRefused, known }: { readonly isRefused: boolean; readonly known: readonly string[] },
): void {
  const byId = Map.groupBy([...unreadable.values()].flat(), (id) => id);
  const each = [...byId].map(([id, needed]) => {
    const has = known.includes(id) ? "another key with the id" : "no key";
    return `${has} ${id} (${needed.length} destinations)`;
  });
  const what = `HOOKLINE_ENCRYPTION_KEYS has ${each.join(", ")}: secrets of the backup would not open.`;
  if (isRefused)
    throw new CommandError(
      `${what} Nothing is restored. Put the key back, or leave these destinations out with --skip-unreadable.`,
      EXIT.failed,
    );
  say(`${what} A restore without the key takes --skip-unreadable, and leaves these destinations out.`);
}

const WORDS: Readonly<Record<Verdict, string>> = {
  created: "created",
  replaced: "older in the topic: replaced",
  broken: "could not be read in the topic: replaced",
  same: "the same",
  newer: "newer in the topic: left",
  deleted: "deleted since: left",
  differing: "of the same version and different: left",
};

interface LeftOut extends Pick<Entry, "record" | "key"> {
  readonly missingKeys: readonly string[];
}

function show(
  context: CommandContext,
  { done, leftOut }: { readonly done: readonly RestoredEntry[]; readonly leftOut: readonly LeftOut[] },
  { json, isDryRun }: { readonly json: boolean | undefined; readonly isDryRun: boolean },
): void {
  if (json === true) {
    printJson(context, { isDryRun, entries: done, leftOut });
    return;
  }
  for (const { record, key, verdict } of done)
    if (verdict !== "same" && verdict !== "created") context.print(`${record} ${key}: ${WORDS[verdict]}`);
  for (const { record, key, missingKeys } of leftOut)
    context.print(`${record} ${key}: left out, as no configured key ${missingKeys.join(", ")} opens it`);
  const counts = Map.groupBy(done, ({ verdict }) => verdict);
  for (const [verdict, entries] of counts) context.print(`${entries.length} ${WORDS[verdict]}`);
  if (leftOut.length > 0) context.print(`${leftOut.length} left out`);
  if (isDryRun) context.print("Nothing was written: this was a dry run.");
}

interface Connected {
  readonly connection: ReturnType<typeof import("#connection").connect>;
  readonly topics: readonly ConfigurationTopic[];
}

async function connected<R>(
  { say }: CommandContext,
  settings: SettingsOf<typeof clusterSettings>,
  use: (connected: Connected) => Promise<R>,
): Promise<R> {
  const { connect } = await import("#connection");
  const topics = configurationTopics(topicMap(settings.topics));
  const connection = connect({
    // Access rules name the command's groups so.
    kafka: { ...settings.kafka, clientId: clientIdOf("backup") },
    registryUrl: settings.registry.registryUrl,
    topics: topics.map(({ topic }) => topic),
    onUnavailable: ({ message }) => say(`waiting for the schema registry: ${message}`),
  });
  try {
    return await use({ connection, topics });
  } catch (error) {
    throw commandError(error);
  } finally {
    await connection.close();
  }
}

function commandError(error: unknown): unknown {
  const { name, message, code } = error as Error & { readonly code?: unknown };
  if (name === "BackupError") return new CommandError(message, EXIT.failed);
  if (name !== "KafkaError") return error;
  if (code === "unknown_topic")
    return new CommandError(`${message}: create the topics with \`hookline topics apply\``, EXIT.failed);
  return new CommandError(message, code === "records_lost" ? EXIT.failed : EXIT.unreachable);
}
