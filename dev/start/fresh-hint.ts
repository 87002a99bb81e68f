import { DeadlineError, StackError } from "#stack";

/**
 * The error with what to do where the data of an earlier start can be its reason: a program that ended over it, or did not answer in time.
 * Without Java, a download or a free port nothing is better without the data.
 */
export function withFreshHint(error: unknown, folder: string): unknown {
  const isOfData = error instanceof DeadlineError || (error instanceof StackError && error.isOfData);
  if (!isOfData) return error;
  return new Error(
    `${error.message}\nWhere its data is the reason: \`npm start -- --fresh\` begins anew, without ${folder}.`,
    { cause: error },
  );
}
