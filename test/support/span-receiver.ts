import { json } from "node:stream/consumers";
import { startLocalServer } from "./local-server.ts";

type Value = {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly boolValue?: boolean;
};

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A span as it came. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** Takes spans by OTLP over HTTP, in JSON, as a collector does. */
export interface SpanReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was sent, as text: requests' headers and bodies. */
  readonly text: () => string;
  /** From now on requests are answered so; undefined: not at all. */
  answer(status: number | undefined): void;
  close(): Promise<void>;
}

const STATUS_ERROR = 2;
const NANOS_A_MS = 1_000_000n;

function plain({ boolValue, intValue, stringValue }: Value): string | number | boolean | undefined {
  return intValue === undefined ? (stringValue ?? boolValue) : Number(intValue);
}

function factsOf(attributes: readonly Attribute[]): ReceivedSpan["attributes"] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function spansIn({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(factsOf(resource.attributes)["service.name"]);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        service,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        traceState: span.traceState,
        name: span.name,
        durationMs: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / NANOS_A_MS),
        isError: span.status?.code === STATUS_ERROR,
        attributes: factsOf(span.attributes),
      }));
  });
}

export async function startSpanReceiver(): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  let status: number | undefined = 200;
  const server = await startLocalServer(async (request, response) => {
    const body = await json(request);
    texts.push(JSON.stringify(request.headers), JSON.stringify(body));
    if (status === 200) spans.push(...spansIn(body as Sent));
    if (status !== undefined) response.writeHead(status, { "Content-Type": "application/json" }).end("{}");
  });
  return {
    url: `${server.url}/v1/traces`,
    spans,
    text: () => texts.join("\n"),
    answer(next) {
      status = next;
    },
    close: server.close,
  };
}
