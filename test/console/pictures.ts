// `npm run console:pictures`: a picture of every page of the console, of the product with a small shop's calls, for docs/use/pictures.md.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { startStack, until } from "#stack";
import { startChromium } from "#support/chromium";
import { builtConsole, openConsole } from "#support/console";
import { type Deployment, startDeployment } from "#support/deployment";
import { environment } from "#support/environment";
import type { TestStack } from "#support/stack";
import { openWorld, pagesOf, type World } from "./world.ts";

const FOLDER = join(import.meta.dirname, "../../docs/use/pictures");
const VIEW = { width: 1_120, height: 720 };
/** Sharp enough to be read, some twenty kilobytes each. */
const QUALITY = 50;
const TIMEOUT_MS = 60_000;
/** For charts, which are loaded when they are drawn, and for live calls. */
const DRAWN_MS = 600;
const MOST_BYTES = 64 * 1024;

const USERS = ["ann", "ben", "cleo", "dora", "emil"] as const;
const EVENTS = ["Order Completed", "Product Viewed", "Cart Updated"] as const;
const EVERY_ORDER = USERS.flatMap((userId, place) =>
  EVENTS.map((event, of) => ({ userId, event, messageId: `msg-${place + 1}${of + 1}` })),
);
const FIRST = { userId: "ann", event: "Order Completed", messageId: "msg-01" };

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What is shown waits for what is counted. Returns the id of a regulation. */
async function prepared(world: World): Promise<string> {
  await world.send({ userId: "ann", anonymousId: "browser-7", event: "Signed Up", messageId: "msg-00" });
  const [writeKey = ""] = world.source.writeKeys;
  // Refused: neither has an event.
  for (const userId of ["cleo", "dora"])
    await world.deployment.send(writeKey, "track", { userId, properties: { total: 12.5 } });
  await world.deployment.send(writeKey, "identify", {
    userId: "ann",
    traits: { plan: "pro", city: "Lyon", employees: 12 },
  });
  const isCounted = async (): Promise<boolean> => {
    const { members } = await world.api<{ members: number }>(`/v1/audiences/${world.audienceId}`);
    const { data } = await world.api<{ data: readonly unknown[] }>("/v1/dead-letters");
    return members === USERS.length && data.length > EVERY_ORDER.length;
  };
  await until(isCounted, { timeoutMs: TIMEOUT_MS, what: "members and dead letters" });
  const body = { regulationType: "SUPPRESS_ONLY", subjectType: "USER_ID", subjectIds: ["gone-1", "gone-2"] };
  const { id } = await world.api<{ id: string }>("/v1/regulations", body);
  await world.api("/v1/dead-letters/replay", { destinationId: world.refusing });
  return id;
}

/** Of one installation. */
async function take(
  { controlUrl }: Pick<Deployment, "controlUrl">,
  pages: ReturnType<typeof pagesOf>,
): Promise<void> {
  const browser = await startChromium();
  try {
    const { open, page, untilTrue } = await openConsole(browser, controlUrl());
    await page.setViewport(VIEW);
    for (const [name, path] of pages) {
      await open(path);
      await untilTrue('!document.querySelector("main .loading")');
      await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${DRAWN_MS}))`);
      const file = join(FOLDER, `${name}.webp`);
      await page.screenshot({ path: file, type: "webp", quality: QUALITY });
      const { size } = statSync(file);
      if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}`);
      say(`${(size / 1024).toFixed(0).padStart(4)} KB  ${name}`);
    }
  } finally {
    await browser.close();
  }
}

/** Before anybody has made anything. */
async function takeEmpty(stack: TestStack): Promise<void> {
  const deployment = await startDeployment({ stack });
  await take(deployment, [["first-overview", "/"]]).finally(() => deployment.stop());
}

mkdirSync(FOLDER, { recursive: true });
await builtConsole();
const stack = await startStack({ environment, log: say });
try {
  await takeEmpty(stack);
  const world = await openWorld({
    names: {
      ...{ source: "Shop", failing: "Warehouse", refusing: "Mail service", well: "Analytics" },
      ...{ audience: "Buyers", trait: "Orders of the day" },
    },
    calls: [FIRST, ...EVERY_ORDER],
    answer: '{"error":"the database is away"}',
    stack,
  });
  try {
    const regulationId = await prepared(world);
    await take(world.deployment, pagesOf(world, { ...FIRST, regulationId }));
  } finally {
    await world.close();
  }
} finally {
  await stack.stop();
}
