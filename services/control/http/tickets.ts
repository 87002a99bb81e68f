// Tickets: a signed text in a URL stands for whoever asked for it, at one URL and for a minute, as the EventSource of a browser sends no
// token. Nothing is stored, so every process with the same encryption keys knows a ticket.
import type { ApiToken } from "#runtime";
import type { Signer } from "#secrets";
import type { Session } from "./sessions.ts";
import { listIn, signedList } from "./signed-list.ts";

type TicketToken = Pick<ApiToken, "name" | "digest">;

/** Who asked for a ticket. */
interface Holder<T extends TicketToken = TicketToken> {
  readonly token: T;
  /** Undefined when it was asked for with the token itself. */
  readonly session: Session | undefined;
}

/** Who asked for it, and which one it is. */
type Known<T extends TicketToken> = Holder<T> & { readonly id: string };

/** As it came with a request. */
export interface GivenTicket {
  readonly text: string;
  /** What was asked for, without the ticket. */
  readonly url: string;
}

export interface Tickets {
  /** A ticket for one URL, path and query; it does not outlive its holder's session. */
  makeTicket(url: string, holder: Holder): { readonly text: string; readonly endsAtMs: number };
  /**
   * Who asked for a ticket, with one of `tokens`; `ended` after its minute, and undefined when it is for another URL, its token is gone or
   * nobody made it.
   */
  readTicket<T extends TicketToken>(given: GivenTicket, tokens: readonly T[]): Known<T> | "ended" | undefined;
}

export const TICKET_PARAMETER = "ticket";
const TICKET_MS = 60_000;

interface TicketsOptions {
  readonly signer: Signer;
  readonly nowMs: () => number;
  readonly newId: () => string;
}

export function createTickets({ signer, nowMs, newId }: TicketsOptions): Tickets {
  return {
    makeTicket(url, { session, token }) {
      const endsAtMs = Math.min(nowMs() + TICKET_MS, session?.endsAtMs ?? Number.POSITIVE_INFINITY);
      const id = newId();
      const signature = signer.sign(signedText(url, token, { endsAtMs, id, session }));
      const text = signedList([token.name, endsAtMs, id, ...listOf(session)], signature);
      return { text, endsAtMs };
    },
    readTicket({ text, url }, tokens) {
      const { list, signature } = listIn(text);
      const said = saidBy(list);
      if (said === undefined) return undefined;
      if (said.endsAtMs <= nowMs()) return "ended";
      const token = tokens.find(({ name }) => name === said.name);
      if (token === undefined || !signer.verifies(signedText(url, token, said), signature)) return undefined;
      return { token, id: said.id, session: said.session };
    },
  };
}

/** The ticket of a request's URL. */
export function ticketIn(requestUrl: string): GivenTicket | undefined {
  const [path = "", query] = requestUrl.split("?", 2);
  const parameters = new URLSearchParams(query);
  const text = parameters.get(TICKET_PARAMETER) ?? "";
  parameters.delete(TICKET_PARAMETER);
  return text === "" ? undefined : { text, url: urlOf(path, parameters) };
}

/** Path and query, written in one way only. */
export function urlOf(path: string, parameters: URLSearchParams): string {
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

interface Said {
  readonly name: string;
  /** Unix ms. */
  readonly endsAtMs: number;
  /** Random: it tells two tickets of one token and moment apart. */
  readonly id: string;
  readonly session: Session | undefined;
}

function signedText(
  url: string,
  { name, digest }: TicketToken,
  { endsAtMs, id, session }: Omit<Said, "name">,
): string {
  return JSON.stringify(["ticket", url, name, digest.toString("hex"), endsAtMs, id, ...listOf(session)]);
}

function listOf(session: Session | undefined): readonly unknown[] {
  return session === undefined ? [] : [session.id, session.endsAtMs];
}

/** What a ticket says, whoever wrote it. */
function saidBy([name, endsAtMs, id, sessionId, sessionEndsAtMs]: readonly unknown[]): Said | undefined {
  if (typeof name !== "string" || typeof endsAtMs !== "number" || typeof id !== "string") return undefined;
  const isOfSession = typeof sessionId === "string" && typeof sessionEndsAtMs === "number";
  return {
    name,
    endsAtMs,
    id,
    session: isOfSession ? { id: sessionId, endsAtMs: sessionEndsAtMs } : undefined,
  };
}
