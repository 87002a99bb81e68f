// The console in a browser: pages that are driven by what a person sees, and that note what must never happen in them.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "#stack";
import type { Browser, Page } from "./chromium.ts";
import { environment } from "./environment.ts";

const WAIT_MS = 60_000;
const STATE_MS = 5_000;
const LOCK = join(import.meta.dirname, "../../.cache/console.lock");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WIDE = 1_280;
const LOOKS = [
  ["light", WIDE],
  ["dark", WIDE],
  ["light", 360],
] as const;

/** How much wider the page is than its window, and what reaches furthest. */
const WIDER = `(() => {
  const overflow = document.documentElement.scrollWidth - innerWidth;
  if (overflow <= 0) return null;
  const rightOf = (one) => one.getBoundingClientRect().right;
  const furthest = [...document.querySelectorAll("main *")].reduce((a, b) => (rightOf(b) >= rightOf(a) ? b : a));
  return overflow + " px wider than the window: " + furthest.outerHTML.slice(0, 120);
})()`;

const BUILD = join(import.meta.dirname, "../../console/build/main.ts");

/** Suites of several processes may want it at once. Vite does not run within jest. */
export async function builtConsole(): Promise<void> {
  await withLock({ path: LOCK, timeoutMs: 120_000, onWait: () => undefined }, async () => {
    await promisify(execFile)(process.execPath, [BUILD, "--if-stale"], { env: environment });
  });
}

export interface ConsolePage {
  readonly page: Page;
  /** Resolves when the script gives something true; else rejects with what the page shows and which requests are open. */
  readonly untilTrue: (script: string, timeoutMs?: number) => Promise<void>;
  /** Resolves when the page is there, and has `shows` where that is given. */
  readonly open: (path: string, shows?: string) => Promise<void>;
  /** Clicks the first link, button or option of the control that has this text, and resolves as `open` does. */
  readonly click: (text: string, shows?: string) => Promise<void>;
  /** Resolves when the page has the text, to the milliseconds that took. */
  readonly untilText: (text: string, timeoutMs?: number) => Promise<number>;
  readonly text: () => Promise<string>;
  readonly type: (label: string, value: string) => Promise<void>;
  /** Presses Tab until what has this text or name has the focus, at most a hundred times, once there is such a thing. */
  readonly tabTo: (text: string) => Promise<void>;
  /** Resolves when this holds for what has the focus, which is `one`. A new page takes it to its content a moment after it is shown. */
  readonly untilFocused: (script: string) => Promise<void>;
  /** What axe-core finds, a line each. */
  readonly findings: () => Promise<readonly string[]>;
  /** What axe-core finds of the page that is open, in both themes and on a phone, and where it is wider than its window. */
  readonly looks: (what: string) => Promise<readonly string[]>;
  /** What ran, failed, or was asked of another origin. */
  readonly faults: readonly string[];
}

/** What is seen of an element by its text: the accessible names of this console are texts. */
const FIND = `(text) => [...document.querySelectorAll("a, button, summary")]
  .filter((one) => !one.disabled && one.checkVisibility())
  .find((one) => one.innerText.trim() === text || one.getAttribute("aria-label") === text)`;

const MOST_TABS = 100;
/** The label, the accessible name or the text. */
const NAME = `(one) =>
  one.labels?.[0]?.innerText.trim() || one.getAttribute("aria-label") || one.innerText.trim()`;
const FOCUSED = `(${NAME})(document.activeElement)`;
const IS_THERE = `(text) => [...document.querySelectorAll("a, button, summary, input, select, textarea")]
  .some((one) => !one.disabled && one.checkVisibility() && (${NAME})(one) === text)`;

const FILL = `(label, value) => {
  const named = [...document.querySelectorAll("label")].find((one) => one.innerText.trim().startsWith(label));
  const field = document.getElementById(named.htmlFor);
  const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set;
  set.call(field, value);
  field.dispatchEvent(new Event(field.matches("select") ? "change" : "input", { bubbles: true }));
}`;

/** `url` is control's. Whoever opens it must close its page. */
export async function openConsole(browser: Browser, url: string): Promise<ConsolePage> {
  const page = await browser.newPage();
  const faults: string[] = [];
  watch(page, url, faults);
  const openRequests = watchRequests(page);
  const call = (script: string, ...given: readonly string[]): string =>
    `(${script})(${given.map((one) => JSON.stringify(one)).join()})`;
  const untilTrue: ConsolePage["untilTrue"] = async (script, timeoutMs = WAIT_MS) => {
    await page.waitForFunction(script, { timeout: timeoutMs }).catch(async (cause: unknown) => {
      throw new Error(`${script} does not hold: ${await stateOf(page, openRequests)}`, { cause });
    });
  };
  const untilText: ConsolePage["untilText"] = async (text, timeoutMs) => {
    const beganAtMs = performance.now();
    await untilTrue(`document.body.innerText.includes(${JSON.stringify(text)})`, timeoutMs);
    return performance.now() - beganAtMs;
  };
  return {
    page,
    faults,
    untilTrue,
    untilText,
    async open(path, shows) {
      await page.goto(`${url}/console${path}`);
      await untilTrue('document.querySelector("h1") !== null');
      if (shows !== undefined) await untilText(shows);
    },
    async click(text, shows) {
      await untilTrue(`${call(FIND, text)} !== undefined`);
      await page.evaluate(`${call(FIND, text)}.click()`);
      if (shows !== undefined) await untilText(shows);
    },
    text: async () => String(await page.evaluate("document.body.innerText")),
    async type(label, value) {
      await page.evaluate(call(FILL, label, value));
    },
    async tabTo(text) {
      await untilTrue(call(IS_THERE, text));
      for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate(FOCUSED)) === text) return;
      }
      throw new Error(`${MOST_TABS} times Tab did not lead to ${text}`);
    },
    async untilFocused(script) {
      await untilTrue(`((one) => ${script})(document.activeElement)`);
    },
    findings: () => findingsOf(page),
    looks: (what) => faultsOfLooks(page, what),
  };
}

/** The requests that have no answer yet. */
function watchRequests(page: Page): ReadonlySet<string> {
  const open = new Set<string>();
  page.on("request", (request) => void open.add(request.url()));
  page.on("requestfinished", (request) => void open.delete(request.url()));
  page.on("requestfailed", (request) => void open.delete(request.url()));
  return open;
}

const STATE = `JSON.stringify([location.href, document.readyState, document.visibilityState, document.body.innerText.slice(0, 1000)])`;
const FRAME = `new Promise((resolve) => requestAnimationFrame(() => resolve("frames")))`;

/** What the page shows, whether it runs scripts and draws frames, and which requests are open. */
async function stateOf(page: Page, openRequests: ReadonlySet<string>): Promise<string> {
  const within = (script: string, otherwise: string): Promise<unknown> =>
    Promise.race([
      page.evaluate(script),
      new Promise((resolve) => void setTimeout(resolve, STATE_MS, otherwise)),
    ]).catch(String);
  const parts = [await within(STATE, "no script runs"), await within(FRAME, "no frame is drawn")];
  return [...parts, "open:", ...openRequests].join(" ");
}

async function findingsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(`axe.run(document).then(({ violations }) => violations.flatMap(
    ({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html.slice(0, 120), failureSummary].join(" "))
  ))`);
  return found as readonly string[];
}

async function faultsOfLooks(page: Page, what: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [scheme, width] of LOOKS) {
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const where = `${what} ${scheme} ${width}`;
    found.push(...(await findingsOf(page)).map((finding) => `${where}: ${finding}`));
    const wide = await page.evaluate(WIDER);
    if (wide !== null) found.push(`${where}: ${String(wide)}`);
  }
  await page.setViewport({ width: WIDE, height: 800 });
  return found;
}

function watch(page: Page, url: string, faults: string[]): void {
  page.on("pageerror", (error) => void faults.push(`error: ${String(error)}`));
  page.on("console", (message) => {
    const isPolicy = /content security policy|trustedhtml|trusted types/i.test(message.text());
    if (isPolicy) faults.push(`policy: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(`request: ${request.url()}`);
  });
}
