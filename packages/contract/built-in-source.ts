/**
 * The source of what Hookline itself sends: a destination receives audiences and computed traits by being connected to it (contract 8.5). It has
 * no write key, and control does not list it.
 */
export const SPACE_SOURCE = "spa_default";
