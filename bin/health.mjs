// What a container engine asks: whether the service of this container is ready. `health.mjs [service]`; without a name every service that
// answers here is asked, so that one image has one health check; where HOOKLINE_METRICS_PORT or HOOKLINE_METRICS_HOST is set, as the service
// has it, there. Exit code 0: at least one answers, and all that do are ready.
import { SERVICES } from "../packages/contract/services.ts";
import { processEnvironment } from "../packages/runtime/environment.ts";

const TIMEOUT_MS = 3_000;

const { HOOKLINE_METRICS_HOST: host = "", HOOKLINE_METRICS_PORT: port = "" } = processEnvironment();
/** Who listens on all addresses is asked at this one. */
const address = ["", "0.0.0.0", "::"].includes(host.trim()) ? "127.0.0.1" : host.trim();

/** Undefined when nothing listens there. */
async function readiness({ metricsPort }) {
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${metricsPort}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { isReady: response.ok, text: await response.text() };
  } catch (error) {
    return error.name === "TimeoutError" ? { isReady: false, text: "no answer" } : undefined;
  }
}

const [name] = process.argv.slice(2);
const ofNames = name === undefined ? Object.values(SERVICES) : [SERVICES[name]];
const asked = port.trim() === "" ? ofNames : [{ metricsPort: port.trim() }];
const found = (await Promise.all(asked.map(readiness))).filter((one) => one !== undefined);
process.stdout.write(found.map(({ text }) => text.trim()).join("\n") || "nothing listens");
process.exitCode = found.length > 0 && found.every(({ isReady }) => isReady) ? 0 : 1;
