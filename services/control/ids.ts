import { randomBytes } from "node:crypto";

/** Makes the names that the service gives; each is random enough to be unique, a write key also to be a secret. */
export interface Ids {
  newSourceId(): string;
  newDestinationId(): string;
  /** 128 random bits, letters and digits only: it travels in URLs and as a Basic user name. */
  newWriteKey(): string;
  newMessageId(): string;
  newReplayId(): string;
  /** Of an entry of the audit log: a prefix and 12 hexadecimal digits. */
  newAuditId(): string;
  newRegulationId(): string;
  newRetryId(): string;
  newAudienceId(): string;
  newComputedTraitId(): string;
  /** Of the rows of one upload. */
  newUploadId(): string;
}

export function createIds(random: (sizeBytes: number) => Buffer = randomBytes): Ids {
  const hex = (sizeBytes: number) => random(sizeBytes).toString("hex");
  return {
    newSourceId: () => `src_${hex(8)}`,
    newDestinationId: () => `dst_${hex(8)}`,
    newWriteKey: () => hex(16),
    newMessageId: () => `test-${hex(12)}`,
    newAuditId: () => `log_${hex(6)}`,
    newReplayId: () => `rpl_${hex(8)}`,
    newRegulationId: () => `reg_${hex(8)}`,
    newRetryId: () => `rty_${hex(8)}`,
    newAudienceId: () => `aud_${hex(8)}`,
    newComputedTraitId: () => `trt_${hex(8)}`,
    newUploadId: () => hex(8),
  };
}
