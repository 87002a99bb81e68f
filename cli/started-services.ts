import { SERVICE_NAMES, SERVICES, type ServiceName } from "#contract";
import { audienceSwitch, type Environment, readSettings } from "#runtime";

/** The services that this environment asks for, in the order in which they are started. Throws a SettingsError when HOOKLINE_AUDIENCES says neither. */
export function startedServices(environment: Environment): readonly ServiceName[] {
  const { audiences } = readSettings(
    { audiences: audienceSwitch },
    { processName: "npm start", environment },
  );
  const isWanted = (name: ServiceName) => audiences.hasAudiences || name !== "audience-processor";
  return SERVICE_NAMES.toReversed().filter(isWanted);
}

/** HOOKLINE_METRICS_PORT of `npm start` is ingest's; the others keep their distance from it. */
export const FIRST_METRICS_PORT = SERVICES.ingest.metricsPort;

function distanceOf(service: ServiceName): number {
  return SERVICES[service].metricsPort - FIRST_METRICS_PORT;
}

/** Port of a service's metrics when ingest's is `firstPort`; 0 is any free port. */
export function metricsPortOf(service: ServiceName, firstPort: number): number {
  return firstPort === 0 ? 0 : firstPort + distanceOf(service);
}

/** "webhook-router +1, deliverer +2, ...": where the others are, for people. */
export function distancesText(): string {
  return SERVICE_NAMES.map((service) => ({ service, distance: distanceOf(service) }))
    .filter(({ distance }) => distance > 0)
    .sort((a, b) => a.distance - b.distance)
    .map(({ service, distance }) => `${service} +${distance}`)
    .join(", ");
}
