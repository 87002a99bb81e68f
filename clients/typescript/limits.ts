// The limits of Hookline (contract 7.5, 9.4).

/** The largest size of a message as JSON: 32 KB. */
export const MAX_MESSAGE_BYTES = 32_768;
/** The largest size of a request's body before compression: 500 KB. */
export const MAX_BATCH_BYTES = 512_000;
/** The largest number of messages in a request. */
export const MAX_BATCH_MESSAGES = 2_500;
/** How deep a message may nest; the message itself is level 1. */
export const MAX_MESSAGE_DEPTH = 64;
/** The largest size of the option `context` as JSON, as it counts for each message of a batch. */
export const MAX_CONTEXT_BYTES = 4_096;
/** The longest `messageId`, in characters. */
export const MAX_MESSAGE_ID_CHARACTERS = 100;
