import { maskCredentials } from "#runtime";

/**
 * Why there is no stack. `unavailable`: this rung is not to be had here, the next may be. `failed`: it was
 * there and did not work, or what was asked for cannot be done; going on would hide that.
 */
export class StackError extends Error {
  override readonly name = "StackError";
  readonly code: "unavailable" | "failed";
  /** Whether what an earlier run left in the data folder can be the reason. */
  readonly isOfData: boolean;

  constructor(code: "unavailable" | "failed", message: string, { isOfData = false } = {}) {
    // An address may carry a password, and this text goes to the terminal.
    super(maskCredentials(message));
    this.code = code;
    this.isOfData = isOfData;
  }
}
