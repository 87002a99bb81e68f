// Why a request to the registry failed, in one line for an operator. Pure.

/** A page of a proxy is longer. */
const MAX_CHARACTERS = 200;

/** What errors of the registry's client, of fetch and of connections have, each some of it. */
interface Failure {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
  /** The client's; it takes 400 for "no answer" too. */
  readonly status?: number;
  /** The client's, as "post http://registry/subjects/s". */
  readonly url?: string;
}

/** What the client writes before each of its texts. */
const CLIENT_NAME = "Confluent_Schema_Registry - ";
/** And then before the text of an error of the connection, or of an answer without a message of the registry. */
const NO_MESSAGE = /^Error, status \d+(?:: )?/;

export function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { cause, code, errors, message = "", name, status, url } = error as Failure;
  if (status !== undefined && url !== undefined) return reasonOfClient({ message, status, url });
  // fetch names what failed in the cause alone.
  if (message === "fetch failed" && cause !== undefined) return reasonOf(cause);
  // Node gives no message where several addresses of a name were tried.
  return message || errors?.map(reasonOf).join(", ") || (code ?? name ?? "unknown");
}

function reasonOfClient({
  message,
  status,
  url,
}: Required<Pick<Failure, "message" | "status" | "url">>): string {
  const said = message.startsWith(CLIENT_NAME) ? message.slice(CLIENT_NAME.length) : message;
  const rest = said.replace(NO_MESSAGE, "");
  // An object without a message.
  const text = rest === "[object Object]" ? "" : shortened(rest);
  const hasNoAnswer = status === 400 && rest !== said && text !== "";
  const reason = hasNoAnswer ? text : [`status ${status}`, text].filter((part) => part !== "").join(": ");
  return `${url.replace(/^\w+/, (method) => method.toUpperCase())}: ${reason}`;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…` : line;
}
