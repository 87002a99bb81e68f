// A browser without windows, driven by puppeteer-core of the clients' tools: one of the machine, else a Chromium from Debian.
import { environment } from "#support/environment";
import { installedBrowser } from "./browser.ts";
import { clientTool, installClientTools } from "./client-tools.ts";
import { debianChromium } from "./debian.ts";

/** These are the parts of puppeteer-core that are used. */
interface PageResponse {
  ok(): boolean;
  request(): { method(): string };
}
export interface Page {
  goto(url: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  /** Runs the script in every page before its own. */
  evaluateOnNewDocument(script: string): Promise<unknown>;
  setCacheEnabled(isEnabled: boolean): Promise<void>;
  setOfflineMode(isOffline: boolean): Promise<void>;
  waitForResponse(is: (response: PageResponse) => boolean, options: { timeout: number }): Promise<unknown>;
  /** Resolves when the script gives something true. */
  waitForFunction(script: string, options: { timeout: number }): Promise<unknown>;
  readonly tracing: {
    start(options: { categories: readonly string[] }): Promise<void>;
    stop(): Promise<Uint8Array | undefined>;
  };
  /** Resolves when the page opens one; `accept` chooses these files in it. */
  waitForFileChooser(): Promise<{ accept(paths: string[]): Promise<void> }>;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  screenshot(options: { path: string; type: "webp"; quality: number }): Promise<unknown>;
  setViewport(viewport: { width: number; height: number }): Promise<void>;
  emulateMediaFeatures(features: readonly { name: string; value: string }[]): Promise<void>;
  on(
    event: "request" | "requestfinished" | "requestfailed",
    listener: (request: { url(): string }) => void,
  ): unknown;
  on(event: "pageerror", listener: (error: unknown) => void): unknown;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): unknown;
  on(event: "dialog", listener: (dialog: { message(): string; dismiss(): Promise<void> }) => void): unknown;
  close(): Promise<void>;
}
export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Puppeteer {
  launch(options: object): Promise<Browser>;
}

/** Has all that `startChromium` needs. Where the machine has no browser the first use downloads one. */
export async function installChromium(): Promise<void> {
  await Promise.all([installClientTools(), findBrowser()]);
}

/** Whoever starts it must close it. */
export async function startChromium(): Promise<Browser> {
  await installClientTools();
  const module = clientTool("puppeteer-core/lib/esm/puppeteer/puppeteer-core.js");
  const puppeteer = (await import(module)) as Puppeteer;
  const { program, libraries } = await findBrowser();
  return puppeteer.launch({
    executablePath: program,
    headless: "shell",
    // The sandbox wants rights that CI does not have; only the test's own page is loaded.
    args: ["--no-sandbox"],
    env: { ...environment, ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }) },
  });
}

/** `libraries` is where an unpacked one finds its libraries; an installed one knows. */
async function findBrowser(): Promise<{ readonly program: string; readonly libraries?: string }> {
  const program = installedBrowser();
  return program === undefined ? await debianChromium() : { program };
}
