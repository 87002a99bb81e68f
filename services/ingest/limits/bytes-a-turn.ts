import { MAX_CALL_BYTES } from "#contract";

/**
 * Bytes of JSON that are parsed and judged, or encoded, in one turn of the event loop: the limit of a single
 * call. It takes 5 to 10 ms for bodies made to be slow (objects with a key of their own each, thousands of
 * integrations).
 */
export const BYTES_A_TURN = MAX_CALL_BYTES;
