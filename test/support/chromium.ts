// A Chromium without windows from Debian, driven by puppeteer-core of the clients' tools.
import { environment } from "#support/environment";
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
  waitForResponse(is: (response: PageResponse) => boolean, options: { timeout: number }): Promise<unknown>;
  close(): Promise<void>;
}
export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Puppeteer {
  launch(options: object): Promise<Browser>;
}

/** Whoever starts it must close it. The first use downloads the browser. */
export async function startChromium(): Promise<Browser> {
  await installClientTools();
  const module = clientTool("puppeteer-core/lib/esm/puppeteer/puppeteer-core.js");
  const puppeteer = (await import(module)) as Puppeteer;
  const { program, libraries } = debianChromium();
  return puppeteer.launch({
    executablePath: program,
    headless: "shell",
    // The sandbox wants rights that CI does not have; only the test's own page is loaded.
    args: ["--no-sandbox"],
    env: { ...environment, LD_LIBRARY_PATH: libraries },
  });
}
