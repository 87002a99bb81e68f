// The numbers of definitions, each named once (docs/use/audiences.md, "Limits").
import { UNITS_MS } from "#contract";

/** Most leaves of one definition; a leaf that is named twice counts twice. */
export const MAX_LEAVES = 50;
/** A definition of more is not read to its end: a body may have a hundred thousand. */
export const MAX_READ_LEAVES = 500;
/** Groups (all, any, not) in each other. */
export const MAX_DEPTH = 8;
/** Audiences that name each other: a definition without `audience` has depth 0, one that names such a one has depth 1. */
export const MAX_NESTED_AUDIENCES = 4;
export const MIN_WINDOW_MS = 60_000;
export const MAX_WINDOW_MS = 400 * UNITS_MS.d;
export const MAX_CONDITIONS = 20;
export const MAX_CHOICES = 500;
export const MAX_TEXT_CHARACTERS = 1_000;
export const MAX_KEY_CHARACTERS = 100;
export const MAX_COUNT = 1_000_000_000;
/** Of calls that follow each other: so many of each are kept, which a plan keeps to the millisecond. */
export const MAX_SEQUENCE_CALLS = 50;
/** Of a count whose conditions hold for a time only: each occurrence is kept, up to so many. */
export const MAX_PASSING_COUNT = 99;
/** Conditions of one definition that look into a whole text or list: contains and not_contains. */
export const MAX_SEARCHES = 100;
/** The same of all audiences and computed traits together: one call may be judged by all of them, in some 10 ms. */
export const MAX_SPACE_SEARCHES = 2_000;
/** Conditions of all audiences and computed traits, `where` included: some 30 ms of a call that all of them count. */
export const MAX_SPACE_CONDITIONS = 10_000;
