import { once } from "node:events";
import { connect, type Socket } from "node:net";

const METADATA_API = 3;
const METADATA_VERSION = 1;
const CORRELATION_ID = 1;
const NO_CLIENT_ID = -1;

/** A Metadata v1 request that names no topics: the smallest question that only a working broker answers. */
function metadataRequest(): Buffer {
  const request = Buffer.alloc(18);
  request.writeInt32BE(request.length - 4, 0);
  request.writeInt16BE(METADATA_API, 4);
  request.writeInt16BE(METADATA_VERSION, 6);
  request.writeInt32BE(CORRELATION_ID, 8);
  request.writeInt16BE(NO_CLIENT_ID, 12);
  // The last four bytes are the number of topics: none.
  return request;
}

/** Address "host:port" in its parts; a port that is missing is Kafka's own. */
function splitAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(":");
  if (at === -1) return { host: address, port: 9092 };
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(address.slice(at + 1)) };
}

/**
 * Returns the result of `question` on a connection; undefined when there is none in time, or it ends before
 * that. A broker that is killed ends it without an error.
 */
async function ask<A>(
  address: string,
  timeoutMs: number,
  question: (socket: Socket, signal: AbortSignal) => Promise<A>,
): Promise<A | undefined> {
  const socket = connect(splitAddress(address));
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), timeoutMs);
  socket.once("close", () => ending.abort());
  try {
    await once(socket, "connect", ending);
    return await question(socket, ending.signal);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/**
 * Counts the brokers of a cluster by asking one of them; 0 when it does not answer in time. Never rejects.
 */
export async function countBrokers(address: string, timeoutMs = 2000): Promise<number> {
  const brokers = await ask(address, timeoutMs, async (socket, signal) => {
    socket.write(metadataRequest());
    const [answer] = (await once(socket, "data", { signal })) as [Buffer];
    // Length, correlation id, then the array of brokers with its count in front.
    return answer.length >= 12 ? answer.readInt32BE(8) : 0;
  });
  return brokers ?? 0;
}

/** Whether something accepts connections there: all that can be asked of a broker behind TLS. Never rejects. */
export async function accepts(address: string, timeoutMs = 2000): Promise<boolean> {
  return (await ask(address, timeoutMs, async () => true)) ?? false;
}

/** fetch refuses a URL that holds credentials: they go into a header. */
function registryRequest(registryUrl: string): { url: string; headers: Record<string, string> } {
  const url = new URL(`${registryUrl}/subjects`);
  const { username, password } = url;
  if (username === "") return { url: url.href, headers: {} };
  url.username = "";
  url.password = "";
  const clear = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(clear).toString("base64")}` } };
}

/** Whether a schema registry answers under this URL, which may hold user name and password. Never rejects. */
export async function registryAnswers(registryUrl: string, timeoutMs = 2000): Promise<boolean> {
  try {
    const { url, headers } = registryRequest(registryUrl);
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
