import { SERVICES, type ServiceName } from "#contract";
import { audienceSwitch, type Environment, readSettings } from "#runtime";

/**
 * What `npm start` runs, in the order in which it is started; it is stopped in the reverse. control comes first, for ingest
 * and router wait for what it owns; ingest comes last, for it lets calls in.
 */
export const STARTED_SERVICES = [
  "control",
  "deliverer",
  "webhook-router",
  "audience-processor",
  "ingest",
] as const satisfies readonly ServiceName[];

export type StartedService = (typeof STARTED_SERVICES)[number];

/** Those that this environment asks for. Throws a SettingsError when HOOKLINE_AUDIENCES says neither. */
export function startedServices(environment: Environment): readonly StartedService[] {
  const { audiences } = readSettings(
    { audiences: audienceSwitch },
    { processName: "npm start", environment },
  );
  return STARTED_SERVICES.filter((name) => audiences.hasAudiences || name !== "audience-processor");
}

/** HOOKLINE_METRICS_PORT of `npm start` is ingest's; the others keep their distance from it. */
export const FIRST_METRICS_PORT = SERVICES.ingest.metricsPort;

function distanceOf(service: StartedService): number {
  return SERVICES[service].metricsPort - FIRST_METRICS_PORT;
}

/** Port of a service's metrics when ingest's is `firstPort`; 0 is any free port. */
export function metricsPortOf(service: StartedService, firstPort: number): number {
  return firstPort === 0 ? 0 : firstPort + distanceOf(service);
}

/** "webhook-router +1, deliverer +2, ...": where the others are, for people. */
export function distancesText(): string {
  return STARTED_SERVICES.map((service) => ({ service, distance: distanceOf(service) }))
    .filter(({ distance }) => distance > 0)
    .sort((a, b) => a.distance - b.distance)
    .map(({ service, distance }) => `${service} +${distance}`)
    .join(", ");
}
