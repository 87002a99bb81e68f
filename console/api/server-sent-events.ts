// Server-sent events from text that comes in pieces. EventSource sends no Authorization header, so the stream is read by hand.

export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
  /** To be given as Last-Event-ID; undefined where an event has none. */
  readonly id: string | undefined;
}

/** Gives the events that a piece completes; keeps the rest for the next piece. Control ends lines with \n. */
export function eventReader(): (piece: string) => readonly ServerSentEvent[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.flatMap(parseBlock);
  };
}

function parseBlock(block: string): ServerSentEvent[] {
  let name = "message";
  const data: string[] = [];
  let id: string | undefined;
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice("event:".length).trim();
    if (line.startsWith("id:")) id = line.slice("id:".length).trim();
    if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
  }
  return data.length === 0 ? [] : [{ name, data: data.join("\n"), id }];
}
