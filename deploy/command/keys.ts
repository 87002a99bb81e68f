import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addLeaf } from "./leaf.ts";

const KEY_BYTES = 32;
const TOKEN_BYTES = 24;

interface KeyOptions {
  readonly encryptionFile?: string;
  readonly tokenFile?: string;
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
      "for HOOKLINE_ENCRYPTION_KEYS_FILE; who loses it loses every shared secret",
    )
    .option("--token-file <path>", "for HOOKLINE_API_TOKENS_FILE and HOOKLINE_CONTROL_TOKEN_FILE")
    .action(async ({ encryptionFile, tokenFile }: KeyOptions) => {
      if (encryptionFile !== undefined) await writeOnce(context, encryptionFile, newEncryptionKey());
      if (tokenFile !== undefined)
        await writeOnce(context, tokenFile, randomBytes(TOKEN_BYTES).toString("base64url"));
    });
}

/** Its id tells it from the next one, after a rotation. */
function newEncryptionKey(): string {
  const id = `k${randomBytes(4).toString("hex")}`;
  return `${id}:${randomBytes(KEY_BYTES).toString("base64")}`;
}

async function writeOnce({ say }: CommandContext, path: string, secret: string): Promise<void> {
  try {
    await using file = await open(path, "wx", 0o600);
    await file.write(`${secret}\n`);
    // A key that a power cut takes back would leave secrets that nobody can open.
    await file.sync();
    say(`${path} is written.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") throw new CommandError(`${path} cannot be written (${code})`, EXIT.failed);
    say(`${path} is there already.`);
  }
}
