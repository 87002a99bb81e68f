// Kafka's record batch, version 2 (KIP-98): what encoder and decoder share.

/** Positions of the fields, from the batch's begin. */
export const AT = {
  baseOffset: 0,
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  firstSequence: 53,
  count: 57,
  records: 61,
} as const;

export const MAGIC = 2;

/** The length field counts from behind itself. */
export const LENGTH_FROM = AT.leaderEpoch;

/** The checksum covers everything behind itself. */
export const CRC_FROM = AT.attributes;

export const CODEC = { mask: 0x07, none: 0, zstd: 4 } as const;
export const LOG_APPEND_TIME = 0x08;
export const CONTROL_BATCH = 0x20;
