// What a container engine asks: whether the service of this container is ready. `health.mjs [service]`; without a name every service that
// answers here is asked, so that one image has one health check. Exit code 0: at least one answers, and all that do are ready.
import { SERVICES } from "../packages/contract/services.ts";

const TIMEOUT_MS = 3_000;

/** Undefined when nothing listens there. */
async function readiness({ metricsPort }) {
  const url = `http://127.0.0.1:${metricsPort}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { isReady: response.ok, text: await response.text() };
  } catch (error) {
    return error.name === "TimeoutError" ? { isReady: false, text: "no answer" } : undefined;
  }
}

const [name] = process.argv.slice(2);
const asked = name === undefined ? Object.values(SERVICES) : [SERVICES[name]];
const found = (await Promise.all(asked.map(readiness))).filter((one) => one !== undefined);
process.stdout.write(found.map(({ text }) => text.trim()).join("\n") || "nothing listens");
process.exitCode = found.length > 0 && found.every(({ isReady }) => isReady) ? 0 : 1;
