import type { Stack } from "#stack";
import type { Demo } from "../../cli/demo/demo.ts";
import { settings as provisionSchema } from "../../cli/provision/config.ts";
import { openSettings, writeStartRecord } from "../../cli/start-record.ts";
import type { Folders } from "./folders.ts";
import type { Product } from "./product.ts";
import { ableToken, type RunOptions } from "./run-options.ts";
import { secondShellLines } from "./second-shell.ts";

interface Started {
  readonly folders: Folders;
  readonly stack: Stack;
  readonly product: Product;
  readonly demo: Demo | undefined;
}

/** Gives the lines for them. What commands read there is kept beside this start, and gone when its end begins. */
export async function tellOtherShells(
  { settings, environment, ending }: RunOptions,
  { folders, stack, product, demo }: Started,
): Promise<string> {
  const { ingestUrl, controlUrl, dataFolder } = product;
  const hasPassword = (URL.parse(stack.registryUrl)?.password ?? "") !== "";
  const variables = {
    ...openSettings(environment, provisionSchema),
    // One with a password in it was given to this start, and is to be given to commands too.
    HOOKLINE_SCHEMA_REGISTRY_URL: hasPassword ? undefined : stack.registryUrl,
    HOOKLINE_KAFKA_BROKERS: stack.brokers.join(),
    HOOKLINE_DATA_DIR: dataFolder,
  };
  const record = { pid: process.pid, ingestUrl, controlUrl, variables, token: ableToken(settings) };
  const { tokenFile, remove } = await writeStartRecord(folders.cache, record);
  ending.onStarted(remove);
  const lines = secondShellLines({
    ingestUrl,
    controlUrl,
    portOffset: settings.start.portOffset,
    tokenFile,
    cacheFolder: environment["HOOKLINE_CACHE_DIR"] ? folders.cache : undefined,
    ids: demo,
  });
  return lines.map((line) => `  ${line}`).join("\n");
}
