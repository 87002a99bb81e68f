// What every test of the console begins with: the built console, a browser, and the product with a world to show.
import { type Browser, startChromium } from "#support/chromium";
import { builtConsole, type ConsolePage, openConsole } from "#support/console";
import { openWorld, type World, type WorldOptions } from "./world.ts";

const NAMES: WorldOptions["names"] = {
  ...{ source: "Shop", failing: "Failing", refusing: "Refusing", well: "Well" },
  ...{ audience: "Buyers", trait: "Orders" },
};

export interface ShownWorld {
  readonly world: World;
  readonly browser: Browser;
  /** A page with nothing open yet. */
  readonly shown: ConsolePage;
  close(): Promise<void>;
}

/** The first one of a machine downloads the browser. Whoever opens it must close it. */
export async function openShownWorld(
  options: Pick<WorldOptions, "calls"> & Partial<WorldOptions>,
): Promise<ShownWorld> {
  await builtConsole();
  const browser = await startChromium();
  try {
    const world = await openWorld({ names: NAMES, answer: "no room", ...options });
    const shown = await openConsole(browser, world.deployment.controlUrl());
    return {
      world,
      browser,
      shown,
      async close() {
        await browser.close();
        await world.close();
      },
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
