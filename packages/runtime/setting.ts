import type { ValueType } from "./value-types.ts";

/** One environment variable: everything that the parser, the help and the reference page need to know about it. */
export interface Setting<T> {
  readonly env: string;
  readonly type: ValueType<T>;
  /** The default as written in the environment; undefined where there is none. */
  readonly default: string | undefined;
  readonly required: boolean;
  /** Never shown; may also be given as the path of a file in `<env>_FILE` (contract 11.2). */
  readonly secret: boolean;
  /** One sentence. */
  readonly doc: string;
}

interface SettingOptions<T> {
  readonly env: `HOOKLINE_${string}`;
  readonly type: ValueType<T>;
  readonly doc: string;
  readonly secret?: boolean;
}

/** A setting with a default, or one that must be given, or (neither said) one that may be absent. */
export function setting<T>(options: SettingOptions<T> & { readonly default: string }): Setting<T>;
export function setting<T>(options: SettingOptions<T> & { readonly required: true }): Setting<T>;
export function setting<T>(options: SettingOptions<T>): Setting<T | undefined>;
export function setting<T>(
  options: SettingOptions<T> & { readonly default?: string; readonly required?: boolean },
): Setting<T | undefined> {
  return {
    env: options.env,
    type: options.type,
    default: options.default,
    required: options.required ?? false,
    secret: options.secret ?? false,
    doc: options.doc,
  };
}
