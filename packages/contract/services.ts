/**
 * The processes of a deployment, in the order of a call's way: they are stopped in this order and started in the reverse, so that calls come
 * in only when all else is there. `port` is the service's own, `metricsPort` the one of /metrics, /livez and /readyz, unless told otherwise
 * (contract 11.1). `graceSeconds` is the time that an orchestrator gives it to end.
 */
export const SERVICES = {
  ingest: { does: "take calls over HTTP", port: 8080, metricsPort: 9401, hasDisk: false, graceSeconds: 30 },
  "webhook-router": {
    does: "join calls with destinations",
    metricsPort: 9402,
    hasDisk: true,
    graceSeconds: 30,
  },
  deliverer: { does: "post calls to webhooks", metricsPort: 9403, hasDisk: false, graceSeconds: 45 },
  "audience-processor": {
    does: "keep audiences and computed traits",
    metricsPort: 9404,
    hasDisk: true,
    graceSeconds: 60,
  },
  control: { does: "serve the control API", port: 8090, metricsPort: 9405, hasDisk: true, graceSeconds: 45 },
} as const;

/** The client id of a process in Kafka. */
export function clientIdOf(processName: string): string {
  return `hookline-${processName}`;
}

export type ServiceName = keyof typeof SERVICES;

export const SERVICE_NAMES = Object.keys(SERVICES) as readonly ServiceName[];

/** Services that keep data on a disk of their own. */
export const SERVICES_WITH_DISK = SERVICE_NAMES.filter((name) => SERVICES[name].hasDisk);

/** Every port that the service listens on. */
export function portsOf(name: ServiceName): readonly number[] {
  const { metricsPort, ...rest } = SERVICES[name];
  return "port" in rest ? [rest.port, metricsPort] : [metricsPort];
}
