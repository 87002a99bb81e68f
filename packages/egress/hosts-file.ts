import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import type { ResolvedAddress } from "./resolver.ts";

/** The longest time that a change of the file stays unseen. */
const LOOK_AGAIN_MS = 1_000;

/** The names of a hosts file (hosts(5)) in lower case, each with every address that a line gives it. */
export function parseHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
    }
  }
  return hosts;
}

export type HostsFile = (hostname: string) => readonly ResolvedAddress[] | undefined;

/** Looks names up in the file as it is now; `elapsedMs` is a clock that nobody sets. Without a readable file there are no names. */
export function openHostsFile(path: string, elapsedMs: () => number): HostsFile {
  let hosts = new Map<string, ResolvedAddress[]>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let changedAtMs: number | undefined;

  function readWhenChanged(): void {
    const modifiedAtMs = orElse(() => statSync(path).mtimeMs, undefined);
    if (modifiedAtMs === changedAtMs) return;
    changedAtMs = modifiedAtMs;
    hosts = parseHosts(orElse(() => readFileSync(path, "utf8"), ""));
  }

  return (hostname) => {
    const nowMs = elapsedMs();
    if (nowMs - lookedAtMs >= LOOK_AGAIN_MS) {
      lookedAtMs = nowMs;
      readWhenChanged();
    }
    return hosts.get(hostname);
  };
}

/** A file that is not there, or not for us to read, names nobody: the name servers know the rest. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
