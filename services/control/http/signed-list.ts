// How a list of values and its signature are one text, which goes to a browser and comes back.

export function signedList(list: readonly unknown[], signature: string): string {
  return `${Buffer.from(JSON.stringify(list)).toString("base64url")}.${signature}`;
}

/** Whoever wrote it; whether the signature is right is for the caller to see. An empty list when it is none. */
export function listIn(text: string): { readonly list: readonly unknown[]; readonly signature: string } {
  const [payload = "", signature = ""] = text.split(".");
  try {
    const said: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return { list: Array.isArray(said) ? said : [], signature };
  } catch {
    // Any text may come.
    return { list: [], signature };
  }
}
