// What the suites run: a library in a program that uses it as a customer's would.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import type { Failure } from "#support/flaky-proxy";

export interface Sending {
  /** Of ingest. */
  readonly endpoint: string;
  /** Write key of the source. */
  readonly key: string;
  /** Track calls after one call of each type. */
  readonly bulk: number;
  /** Resolves when all has arrived: libraries that do not say when they are through are let go then. */
  readonly arrived: Promise<unknown>;
  /** Between two calls of the bulk; only Hookline's own libraries' programs know it. */
  readonly paceMs?: number;
  /** Whether each batch is to meet failures first. */
  readonly isFlaky?: boolean;
}

/** Rejects when the program says that it failed. */
export type Send = (sending: Sending) => Promise<unknown>;

/** What each program sends before its bulk; the second track is that of an anonymous user in 2012. */
export const EACH_TYPE = ["alias", "group", "identify", "page", "screen", "track", "track"] as const;

export interface Sdk {
  /** Also the tests' name and, in other letters, the source's. */
  readonly name: string;
  readonly language: string;
  readonly version: string;
  /** Sorted. */
  readonly types: readonly string[];
  /** What its program sets beside the endpoint and the key, for the page. */
  readonly settings: string;
  /** What each of its batches meets in the suite of outages; it is not in it when that is nothing. */
  readonly failures: readonly Failure[];
  /** Why not all of them. */
  readonly whyNotAll?: string;
  /** No bulk is larger: of what is made for one page or one phone. */
  readonly maxBulk?: number;
  /** Installs and compiles what is missing; `folder` is the suite's own. */
  readonly prepare: (folder: string) => Promise<Send>;
}

export const run = promisify(execFile);

/** Of a file beside this one. */
export const here = (path: string): string => join(import.meta.dirname, path);

/** The version that a lock file or a manifest beside this file names. */
export function versionIn(path: string, pattern: RegExp): string {
  const [, version] = pattern.exec(readFileSync(here(path), "utf8")) ?? [];
  if (version === undefined) throw new Error(`${path} names no ${pattern}`);
  return version;
}

export const argumentsOf = ({ endpoint, key, bulk }: Sending): string[] => [endpoint, key, String(bulk)];

/** Runs a program that ends with its standard input, once all has arrived. */
export async function runUntilArrived(program: string, args: readonly string[], { arrived }: Sending) {
  const running = run(program, args, { env: environment });
  const letGo = (): void => {
    running.child.stdin?.end();
  };
  arrived.then(letGo, letGo);
  return running;
}
