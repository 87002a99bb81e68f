/**
 * The processes of a deployment and the ports that they listen on unless told otherwise (contract 11.1): `port` is the service's own,
 * `metricsPort` the one of /metrics, /livez and /readyz.
 */
export const SERVICES = {
  ingest: { port: 8080, metricsPort: 9401 },
  "webhook-router": { metricsPort: 9402 },
  deliverer: { metricsPort: 9403 },
  "audience-processor": { metricsPort: 9404 },
  control: { port: 8090, metricsPort: 9405 },
} as const;

/** What a process calls itself to Kafka. */
export function clientIdOf(processName: string): string {
  return `hookline-${processName}`;
}

export type ServiceName = keyof typeof SERVICES;

export const SERVICE_NAMES = Object.keys(SERVICES) as readonly ServiceName[];
