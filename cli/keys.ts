import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addLeaf } from "./leaf.ts";

const KEY_BYTES = 32;
const TOKEN_BYTES = 24;

interface KeyOptions {
  readonly encryptionFile?: string;
  readonly tokenFile?: string;
  readonly formerTokenFile?: string;
}

/** `hookline keys create`: what a deployment keeps secret, made where it is kept. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command("keys").description("the secrets of a deployment");
  addLeaf(keys, "create", {
    description:
      "write new secrets into files that only this user may read; files that are there stay as they are",
    examples: ["keys create --encryption-file /secrets/encryption-keys --token-file /secrets/api-token"],
  })
    .option(
      "--encryption-file <path>",
      "for HOOKLINE_ENCRYPTION_KEYS_FILE; without it every shared secret is lost",
    )
    .option("--token-file <path>", "for HOOKLINE_API_TOKENS_FILE and HOOKLINE_CONTROL_TOKEN_FILE")
    .option(
      "--former-token-file <path>",
      "a file whose token is moved to --token-file, instead of a new token",
    )
    .action(async ({ encryptionFile, tokenFile, formerTokenFile }: KeyOptions) => {
      if (encryptionFile !== undefined) await writeOnce(context, encryptionFile, newEncryptionKey());
      if (tokenFile === undefined) return;
      await writeOnce(context, tokenFile, (await tokenIn(formerTokenFile)) ?? newToken());
      // Last: a move that is interrupted is made again.
      if (formerTokenFile !== undefined) await rm(formerTokenFile, { force: true });
    });
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Undefined where there is no such file, or nothing in it. */
async function tokenIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    const token = (await readFile(path, "utf8")).trim();
    return token === "" ? undefined : token;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandError(`${path} cannot be read (${code})`, EXIT.failed);
  }
}

/** Its id tells it from the next one, after a rotation. */
function newEncryptionKey(): string {
  const id = `k${randomBytes(4).toString("hex")}`;
  return `${id}:${randomBytes(KEY_BYTES).toString("base64")}`;
}

/** The file is there whole or not at all: a kill must not leave an empty one, which the next run would take for a secret. */
async function writeOnce({ say }: CommandContext, path: string, secret: string): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await rm(partial, { force: true });
    await writeDurably(partial, `${secret}\n`);
    // A link is refused where something is there, a rename would replace it.
    await link(partial, path);
    say(`${path} is written.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") throw new CommandError(`${path} cannot be written (${code})`, EXIT.failed);
    say(`${path} is there already.`);
  } finally {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

/** A key that a power cut takes back would leave secrets that nobody can open. */
async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}
