// How options come into a destination and are shown. Pure.
import { type TOptional, Type } from "typebox";
import type { DestinationConfig } from "#topics";
import type { Option } from "./option.ts";
import { OPTIONS } from "./table.ts";

type Table = typeof OPTIONS;
type Name = keyof Table;
type Given<N extends Name> = ReturnType<Table[N]["show"]>;

/** As requests give them; what is absent stays, null is the default. */
export type OptionsInput = { readonly [N in Name]?: Given<N> };
type OptionsView = { readonly [N in Name]: Given<N> };
type StoredOptions = Pick<DestinationConfig, Table[Name]["storedAs"]>;

/** An option whose types are forgotten: the table has checked that they belong together. */
type AnyOption = Option<unknown, keyof StoredOptions>;

const ALL = Object.entries(OPTIONS) as unknown as readonly (readonly [Name, AnyOption])[];

/** The fields of an answer. */
export const OPTION_FIELDS = Object.fromEntries(ALL.map(([name, { schema }]) => [name, schema])) as {
  readonly [N in Name]: Table[N]["schema"];
};

/** The fields of a request. */
export const OPTIONAL_FIELDS = Object.fromEntries(
  ALL.map(([name, { schema }]) => [name, Type.Optional(schema)]),
) as { readonly [N in Name]: TOptional<Table[N]["schema"]> };

export function patchOptions(before: StoredOptions, patch: OptionsInput): StoredOptions {
  const stored = ALL.map(([name, { storedAs, store }]) => {
    const given = patch[name];
    return [storedAs, given === undefined ? before[storedAs] : store(given)];
  });
  return Object.fromEntries(stored) as StoredOptions;
}

export function optionsView(destination: StoredOptions): OptionsView {
  const shown = ALL.map(([name, { storedAs, show }]) => [name, show(destination[storedAs])]);
  return Object.fromEntries(shown) as OptionsView;
}
