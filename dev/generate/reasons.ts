// The page of reasons, from the closed lists.
import {
  DEAD_LETTERS,
  DIVERTS,
  DROPS,
  PASSED_OVER,
  PERMANENT,
  REJECTIONS,
  RETRYABLE,
  type Reason,
  type Reasons,
} from "#contract";
import type { Generated } from "./generated.ts";

const INTRODUCTION = `# Reasons

<!-- Generated from packages/contract/reasons by \`npm run generate\`; do not edit. -->

For everybody who meets one: what each reason means, and what to do. Answers of the APIs, log lines and labels of metrics have the same words.
`;

interface Section {
  readonly title: string;
  readonly where: string;
  readonly reasons: Reasons<string>;
}

const drops: ReadonlySet<Reason> = new Set(Object.values(DROPS));

const SECTIONS: readonly Section[] = [
  {
    title: "Dead letters",
    where: "`reason` of `GET /v1/dead-letters`; `hookline_dead_letters_total`.",
    reasons: DEAD_LETTERS,
  },
  {
    title: "Requests that are tried again",
    where: "`outcome` of `GET /v1/destinations/{id}/attempts`; `hookline_delivery_attempts_total`.",
    reasons: RETRYABLE,
  },
  { title: "Requests that are not tried again", where: "In the same places.", reasons: PERMANENT },
  {
    title: "Diverts: calls that wait without a request",
    where: "`hookline_delivery_diverted_total`.",
    reasons: DIVERTS,
  },
  {
    title: "Drops: calls that go nowhere",
    where:
      "`outcome` of `accepted` in `GET /v1/calls/{messageId}`; `hookline_router_calls_total`; of `suppressed` mostly `hookline_ingest_calls_dropped_total`, without `accepted`.",
    reasons: DROPS,
  },
  {
    title: "Passed over: a destination that does not get a call which others may get",
    where:
      "`passedOver` of a destination in `GET /v1/calls/{messageId}` and `GET /v1/sources/{id}/calls`. `integration_off` and `suppressed` as above.",
    reasons: Object.fromEntries(Object.entries(PASSED_OVER).filter(([, reason]) => !drops.has(reason))),
  },
  {
    title: "Rejections: calls that ingest refuses",
    where: "`code` of a 400, and of each entry of `rejected`; `hookline_ingest_calls_rejected_total`.",
    reasons: REJECTIONS,
  },
];

function rowOf([name, { meaning, action }]: [string, Reason]): string {
  return `| \`${name}\` | ${meaning} | ${action} |`;
}

function sectionOf({ title, where, reasons }: Section): string {
  const rows = Object.entries(reasons).map(rowOf);
  return [
    `## ${title}`,
    "",
    where,
    "",
    "| reason | meaning | what to do |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

export const generated: readonly Generated[] = [
  { file: "docs/use/reasons.md", text: [INTRODUCTION, ...SECTIONS.map(sectionOf)].join("\n") },
];
