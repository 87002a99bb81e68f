import { type Environment, processEnvironment } from "#runtime";

/** The environment that tests hand on to what they start. */
export const environment: Environment = processEnvironment();
