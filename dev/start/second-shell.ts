// Lines that make `hookline` and the commands of the README work in another shell, by copy and paste.
import { join } from "node:path";
import { printable } from "../../cli/terminal-text.ts";

const COMMAND = join(import.meta.dirname, "../../bin/hookline.mjs");

export interface SecondShell {
  readonly ingestUrl: string;
  readonly controlUrl: string;
  /** 0 where ports are not moved. */
  readonly portOffset: number;
  /** Undefined where the control API wants no token, or where none is known in full. */
  readonly tokenFile: string | undefined;
  /** Undefined where it is the clone's own. */
  readonly cacheFolder?: string | undefined;
  /** Ids of the demo. */
  readonly ids?:
    | { readonly sourceId: string; readonly writeKey: string; readonly destinationId: string }
    | undefined;
}

/** Quotes any text for a shell. */
function quoted(text: string): string {
  return `'${printable(text).replaceAll("'", String.raw`'\''`)}'`;
}

function exported(variables: Readonly<Record<string, string>>): string[] {
  const given = Object.entries(variables).map(([name, text]) => `${name}=${quoted(text)}`);
  return given.length === 0 ? [] : [`export ${given.join(" ")}`];
}

/** Lines for sh, bash and zsh. */
export function secondShellLines({
  ingestUrl,
  controlUrl,
  portOffset,
  tokenFile,
  cacheFolder,
  ids,
}: SecondShell): readonly string[] {
  return [
    ...exported({ INGEST: ingestUrl, HOOKLINE: ingestUrl, CONTROL: controlUrl }),
    ...exported({
      HOOKLINE_CONTROL_URL: controlUrl,
      ...(portOffset > 0 && { HOOKLINE_PORT_OFFSET: String(portOffset) }),
    }),
    ...exported(cacheFolder === undefined ? {} : { HOOKLINE_CACHE_DIR: cacheFolder }),
    ...exported(tokenFile === undefined ? {} : { HOOKLINE_CONTROL_TOKEN_FILE: tokenFile }),
    ...exported(
      ids === undefined
        ? {}
        : { SOURCE: ids.sourceId, WRITE_KEY: ids.writeKey, DESTINATION: ids.destinationId },
    ),
    `hookline() { node ${quoted(COMMAND)} "$@"; }`,
  ];
}
