import type { Environment } from "#stack";

/** The environment that tests hand on to what they start. */
export const environment: Environment = { ...process.env };
