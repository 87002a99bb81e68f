/**
 * The shortest time from one answer to the next request. A request costs broker and client together as much CPU time as ten
 * records (half a millisecond where waking a thread is dear), and a broker that has a request waiting answers it with the first
 * record that is written. Shorter than the producers' linger: who reads what one producer writes waits for none of it.
 */
export const FETCH_PAUSE_MS = 3;

/** Records in a fetch after which more are fetched at once. */
export const PLENTY_RECORDS = 200;
