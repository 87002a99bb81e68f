/** The exit code that a shell gives to a program that SIGPIPE ended; Node ignores the signal. */
const NO_READER = 141;

/**
 * Ends the process without a word when the reader closes the pipe, as `head` does and as other programs of a
 * pipe do. Output that cannot be written for another reason, such as a full disk, is an error as ever.
 */
export function endWithReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(NO_READER);
    });
}
