import type { RunOptions } from "./run-options.ts";

/** One that may read and write, if it is known in full. */
export function ableToken({ api }: RunOptions["settings"]): string | undefined {
  const able = api.tokens.find(
    ({ scopes, text }) => text !== undefined && scopes.includes("read") && scopes.includes("write"),
  );
  return able?.text;
}
