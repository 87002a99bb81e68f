import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import type { JsonObject } from "#contract";
import type { Environment } from "#runtime";
import { CommandError, EXIT } from "./exit-codes.ts";

/** The environment of a command, and its outputs. */
export interface CommandContext {
  readonly environment: Environment;
  /** One line or several on standard output: what was asked for. */
  readonly print: (text: string) => void;
  /** A piece of a long answer, as it is, on standard output. */
  readonly write: (text: string) => void;
  /** Resolves when standard output takes more: what is read without an end must not be held for a reader that is slow. */
  readonly drained: () => Promise<void>;
  /** Prints on standard error, for people: progress and errors. */
  readonly say: (text: string) => void;
  /** Whether standard output takes colours: a terminal, and NO_COLOR is not set. */
  readonly isColoured: boolean;
  readonly standardInput: () => AsyncIterable<Uint8Array>;
  /** The exit code of a command that ends in order, where it is not 0. */
  readonly endWith: (code: number) => void;
}

/** The text of a file as it comes; `-` is standard input. A byte order mark is no part of it. Throws a CommandError that names the file. */
export async function* readPieces(context: CommandContext, path: string): AsyncGenerator<string> {
  // Decoded with replacement characters, it would name other users than it does.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    const bytes = path === "-" ? context.standardInput() : createReadStream(path);
    for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    const problem =
      code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not UTF-8" : `cannot be read (${code})`;
    throw new CommandError(`${nameOf(path)} ${problem}`, EXIT.usage);
  }
}

/** All of readPieces. */
export function readText(context: CommandContext, path: string): Promise<string> {
  return text(readPieces(context, path));
}

function nameOf(path: string): string {
  return path === "-" ? "standard input" : path;
}

/** A file that holds a JSON object. Throws a CommandError when it does not. */
export async function readJson(context: CommandContext, path: string): Promise<JsonObject> {
  const text = await readText(context, path);
  const name = nameOf(path);
  const parsed = parse(text, name);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject;
  throw new CommandError(`${name} does not hold a JSON object`, EXIT.usage);
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${name} is not JSON: ${(error as Error).message}`, EXIT.usage);
  }
}
