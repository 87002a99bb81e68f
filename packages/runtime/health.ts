/** true, or why not (false: the check's name says enough). */
type ReadinessCheck = () => boolean | string;

export interface Health {
  /** The service is ready when every check says so. `name` is the reason shown when it does not. */
  readiness(name: string, check: ReadinessCheck): void;
}

export interface HealthState extends Health {
  /** Why the service is not ready; empty when it is. */
  notReadyBecause(): string[];
}

function reasonOf(name: string, check: ReadinessCheck): string | undefined {
  try {
    const state = check();
    if (state === true) return undefined;
    return state === false ? name : `${name}: ${state}`;
  } catch (error) {
    return `${name}: check failed: ${String(error)}`;
  }
}

/** Readiness only: liveness is answering at all and never depends on brokers, or an outage of Kafka would restart the fleet. */
export function createHealth(): HealthState {
  const checks = new Map<string, ReadinessCheck>();
  return {
    readiness(name, check) {
      checks.set(name, check);
    },
    notReadyBecause() {
      return [...checks].flatMap(([name, check]) => reasonOf(name, check) ?? []);
    },
  };
}
