// Reads groups of settings from the environment. Every wrong variable is named at once; a secret's text never is.
import { readFileSync } from "node:fs";
import { didYouMean } from "#contract";
import type { Environment } from "./environment.ts";
import { knownSettings } from "./known-settings.generated.ts";
import { maskCredentials } from "./mask-credentials.ts";
import type { Setting } from "./setting.ts";

export interface SettingProblem {
  readonly env: string;
  readonly problem: string;
}

type SettingsShape = Readonly<Record<string, Setting<unknown>>>;
type ValuesOf<S extends SettingsShape> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/** Settings that are read and checked together and come out as one value. */
export interface SettingsGroup<T> {
  /** Heading of the help and the reference page. */
  readonly title: string;
  readonly settings: readonly Setting<unknown>[];
  read(source: Source): { readonly value: T } | { readonly problems: readonly SettingProblem[] };
}

/** The configuration of a process: a name in the code for each group. */
export type SettingsSchema = Readonly<Record<string, SettingsGroup<unknown>>>;
export type SettingsOf<S extends SettingsSchema> = {
  readonly [K in keyof S]: S[K] extends SettingsGroup<infer T> ? T : never;
};

export interface Source {
  /** Name of the process that reads, for values derived from it. */
  readonly processName: string;
  readonly environment: Environment;
}

interface GroupOptions<S extends SettingsShape> {
  readonly title: string;
  readonly settings: S;
  /** Relations between the values; called only when each value by itself is right. */
  check?(values: ValuesOf<S>): readonly SettingProblem[];
}

interface BuiltGroupOptions<S extends SettingsShape, T> extends GroupOptions<S> {
  build(values: ValuesOf<S>, source: Source): T;
}

/** Declares a group; with `build` its values come out as something else than an object of them. */
export function settingsGroup<const S extends SettingsShape, T>(
  options: BuiltGroupOptions<S, T>,
): SettingsGroup<T>;
export function settingsGroup<const S extends SettingsShape>(
  options: GroupOptions<S>,
): SettingsGroup<ValuesOf<S>>;
export function settingsGroup<const S extends SettingsShape, T>(
  options: GroupOptions<S> & Partial<BuiltGroupOptions<S, T>>,
): SettingsGroup<T | ValuesOf<S>> {
  return {
    title: options.title,
    settings: Object.values(options.settings),
    read(source) {
      const problems: SettingProblem[] = [];
      const read: Record<string, unknown> = {};
      for (const [key, one] of Object.entries(options.settings)) {
        const result = readSetting(one, source.environment);
        if ("problem" in result) problems.push({ env: one.env, problem: result.problem });
        else read[key] = result.value;
      }
      if (problems.length > 0) return { problems };
      const values = read as ValuesOf<S>;
      const broken = options.check?.(values) ?? [];
      if (broken.length > 0) return { problems: broken };
      return { value: options.build === undefined ? values : options.build(values, source) };
    },
  };
}

/** Thrown when settings are wrong; the message names all of them, one a line. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly problems: readonly SettingProblem[];

  constructor(processName: string, problems: readonly SettingProblem[]) {
    const count = problems.length === 1 ? "1 setting is wrong" : `${problems.length} settings are wrong`;
    const lines = problems.map(({ env, problem }) => `  ${env} ${problem}`);
    super([`${processName} cannot start: ${count}`, ...lines].join("\n"));
    this.problems = problems;
  }
}

/** Reads every group; throws a SettingsError that names every wrong variable. */
export function readSettings<S extends SettingsSchema>(schema: S, source: Source): SettingsOf<S> {
  const problems = new Map<string, SettingProblem>();
  const values: Record<string, unknown> = {};
  for (const [key, group] of Object.entries(schema)) {
    const result = group.read(source);
    if ("value" in result) values[key] = result.value;
    else for (const problem of result.problems) problems.set(`${problem.env} ${problem.problem}`, problem);
  }
  if (problems.size > 0) throw new SettingsError(source.processName, [...problems.values()]);
  return values as SettingsOf<S>;
}

type ReadResult = { readonly value: unknown } | { readonly problem: string };

function readSetting(one: Setting<unknown>, environment: Environment): ReadResult {
  const found = givenText(one, environment);
  if ("problem" in found) return found;
  const given = found.text ?? one.default;
  if (given === undefined)
    return one.required ? { problem: `is required: ${one.doc}` } : { value: undefined };
  const parsed = one.type.parse(given);
  if (parsed.ok) return { value: parsed.value };
  const shown = JSON.stringify(maskCredentials(given));
  return { problem: one.secret ? parsed.problem : `${parsed.problem} (it is ${shown})` };
}

/** The text given for a setting. An empty variable counts as unset, as compose files and manifests leave them behind. */
function givenText(
  { env, secret }: Setting<unknown>,
  environment: Environment,
): { readonly text: string | undefined } | { readonly problem: string } {
  const direct = environment[env]?.trim() || undefined;
  const path = secret ? environment[`${env}_FILE`] || undefined : undefined;
  if (path === undefined) return { text: direct };
  if (direct !== undefined) return { problem: `and ${env}_FILE are both given: one of them must go` };
  try {
    return { text: readFileSync(path, "utf8").trim() || undefined };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    return { problem: `cannot be read from the file that ${env}_FILE names (${reason})` };
  }
}

// A misspelt variable would silently leave a default in place; it is warned about, with the name that was meant.

const PREFIX = "HOOKLINE_";
/**
 * One sentence for each HOOKLINE_ variable that no process of the product reads. All processes share one environment
 * in compose files and `npm start`, so a setting of another service is no mistake.
 */
export function unknownSettings(environment: Environment, own: readonly string[]): string[] {
  const known = new Set([...knownSettings, ...own]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => `${name} is not a setting${didYouMean(name, known)}`);
}
