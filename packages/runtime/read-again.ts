import type { SettingProblem, SettingsGroup, Source } from "./settings.ts";

type Reading<T> = { readonly value: T } | { readonly problems: readonly SettingProblem[] };

/** The values of a group with settings in files, and a way to read them again. */
export interface ReadAgain<T> {
  /** Reads the group as it is now. Undefined where nothing of it comes from a file: a process's environment stays what it was. */
  readonly again: (() => Reading<T>) | undefined;
}

/** The same group; its values can be read again while the process runs. */
export function readAgain<T extends object>(group: SettingsGroup<T>): SettingsGroup<T & ReadAgain<T>> {
  const { settings, title } = group;
  const namesFile = ({ environment }: Source): boolean =>
    settings.some(({ env, secret }) => secret && (environment[`${env}_FILE`] ?? "") !== "");
  return {
    title,
    settings,
    read(source) {
      const reading = group.read(source);
      if (!("value" in reading)) return reading;
      const again = namesFile(source) ? () => group.read(source) : undefined;
      return { value: { ...reading.value, again } };
    },
  };
}
