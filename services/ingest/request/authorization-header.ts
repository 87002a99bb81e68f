/** The content of an Authorization header. */
interface Credentials {
  readonly scheme: "basic" | "bearer";
  /** The Basic user name, with or without a colon after it, or the Bearer token; not empty. */
  readonly key: string;
}

export interface HeaderReader {
  /** undefined: there are no credentials that could be a write key. */
  read(authorization: string | undefined): Credentials | undefined;
  /** Headers that it remembers. */
  readonly size: number;
}

const MAX_REMEMBERED = 1_000;
/** The longest header that is remembered; a longer one is read each time: it may have 16 KB. */
const MAX_REMEMBERED_CHARACTERS = 500;

/** Remembers the headers it has read: a source sends the same one with every request. Forgets all when full, so that made-up ones do no harm. */
export function createHeaderReader(maxRemembered = MAX_REMEMBERED): HeaderReader {
  const remembered = new Map<string, Credentials | undefined>();
  return {
    read(authorization) {
      if (authorization === undefined) return undefined;
      if (authorization.length > MAX_REMEMBERED_CHARACTERS) return readHeader(authorization);
      let credentials = remembered.get(authorization);
      if (credentials === undefined && !remembered.has(authorization)) {
        credentials = readHeader(authorization);
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(authorization, credentials);
      }
      return credentials;
    },
    get size() {
      return remembered.size;
    },
  };
}

function readHeader(authorization: string): Credentials | undefined {
  const [, scheme = "", credentials = ""] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case "bearer":
      return { scheme: "bearer", key: credentials };
    case "basic": {
      const [key = ""] = Buffer.from(credentials, "base64").toString().split(":", 1);
      return key === "" ? undefined : { scheme: "basic", key };
    }
    default:
      return undefined;
  }
}
