// Prints the control API's answer about what a destination is sent of a call, as lines for a person. Pure.
import { printable } from "./terminal-text.ts";

/** The parts of the answer of GET /v1/calls/{messageId}/destinations/{destinationId} that are shown. */
export interface SentAnswer {
  readonly state: string;
  readonly bodyText: string | null;
  readonly noBody: string | null;
  readonly requests: readonly {
    readonly webhookId: string;
    readonly url: string;
    readonly sentAt: string | null;
    readonly isAsSent: boolean;
    readonly headers: Readonly<Record<string, string>>;
    readonly curl: string;
  }[];
}

const WHY: Readonly<Record<string, string>> = {
  user_deleted: "its user was deleted: nothing of it is shown",
  not_recorded: "where its body stands is not recorded",
  no_longer_kept: "its body is no longer kept",
};

export function sentLines({ bodyText, noBody, requests, state }: SentAnswer): string[] {
  const headersOf = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => printable(`${name}: ${value}`));
  const body = bodyText === null ? `No body: ${WHY[noBody ?? ""] ?? noBody}.` : printable(bodyText);
  return [
    printable(state),
    ...requests.flatMap((request) => [
      "",
      printable(`POST ${request.url} (${request.webhookId})`),
      printable(`${timeOf(request)}:`),
      ...headersOf(request.headers),
    ]),
    "",
    body,
  ];
}

function timeOf({ isAsSent, sentAt }: SentAnswer["requests"][number]): string {
  if (sentAt === null) return "as it would be sent now; no request is recorded";
  return isAsSent ? `as sent at ${sentAt}` : `as it would be sent now; the last one was at ${sentAt}`;
}

/** To be run, so they are as they came. */
export function curlLines({ requests }: SentAnswer): string[] {
  return requests.map(({ curl }) => curl);
}
