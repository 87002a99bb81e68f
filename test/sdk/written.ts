// Requests of SDKs that cannot be run here, written down from their sources: paths, headers, where the write key is, the frame of the body.
import { gzipSync } from "node:zlib";

interface WrittenRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

interface Written {
  readonly name: string;
  readonly path: string;
  /** Its request with one call of each type; their ids begin with `prefix`. */
  readonly request: (writeKey: string, prefix: string) => WrittenRequest;
}

const SENT_AT = "2026-11-22T18:00:01.000Z";
const JSON_TYPE = { "content-type": "application/json" };

const basic = (writeKey: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${writeKey}:`).toString("base64")}`,
});

interface Shape {
  readonly timestamp: string;
  /** Fields that this library puts into every call. */
  readonly more?: object;
}

/** One call of each type, in the order of most libraries. */
function calls(prefix: string, { timestamp, more = {} }: Shape): object[] {
  const frame = (type: string, own: object): object => ({
    type,
    messageId: `${prefix}-${type}`,
    timestamp,
    ...more,
    ...own,
  });
  const user = { userId: `${prefix}-user`, anonymousId: `${prefix}-anonymous` };
  return [
    frame("identify", { ...user, traits: { name: "Ada ✓", plan: "pro" } }),
    frame("track", { ...user, event: "Order Completed", properties: { total: 12.5, note: "<a & b>" } }),
    frame("page", { ...user, name: "Home", properties: { url: "https://example.com/" } }),
    frame("screen", { ...user, name: "Main", properties: {} }),
    frame("group", { ...user, groupId: "initech", traits: { name: "Initech" } }),
    frame("alias", { ...user, previousId: `${prefix}-anonymous` }),
  ];
}

const MILLISECONDS = "2026-11-22T18:00:00.123Z";
const library = (name: string, version: string): object => ({ context: { library: { name, version } } });

/** Mobile libraries': the key in the body, no Authorization. */
function mobile(agent: string, shape: Shape, more: Readonly<Record<string, string>>): Written["request"] {
  return (writeKey, prefix) => ({
    headers: { "user-agent": agent, ...more },
    body: JSON.stringify({ batch: calls(prefix, shape), sentAt: SENT_AT, writeKey }),
  });
}

/** As `request`, with the body compressed. */
function compressed(request: Written["request"]): Written["request"] {
  return (writeKey, prefix) => {
    const { headers, body } = request(writeKey, prefix);
    return { headers: { ...headers, "content-encoding": "gzip" }, body: gzipSync(body) };
  };
}

export const WRITTEN: readonly Written[] = [
  {
    name: "analytics-go 2.1 (Go)",
    path: "/v1/batch",
    request: (writeKey, prefix) => ({
      headers: { ...basic(writeKey), ...JSON_TYPE, "user-agent": "analytics-go (version: 2.1.0)" },
      body: JSON.stringify({
        context: { library: { name: "analytics-go", version: "2.1.0" } },
        messageId: `${prefix}-batch`,
        sentAt: "2026-11-22T18:00:01+0000",
        batch: calls(prefix, { timestamp: "2026-11-22T18:00:00+0000" }),
      }),
    }),
  },
  {
    name: "analytics-ruby 2.5 (Ruby)",
    path: "/v1/import",
    request: (writeKey, prefix) => ({
      headers: {
        ...basic(writeKey),
        ...JSON_TYPE,
        accept: "application/json",
        "user-agent": "analytics-ruby/2.5",
      },
      body: JSON.stringify({
        sentAt: SENT_AT,
        batch: calls(prefix, { timestamp: MILLISECONDS, more: library("analytics-ruby", "2.5") }),
      }),
    }),
  },
  {
    name: "analytics-php 3.8 (PHP)",
    path: "/v1/batch",
    request: compressed((writeKey, prefix) => ({
      headers: { ...basic(writeKey), ...JSON_TYPE, "user-agent": "analytics-php/3.8" },
      body: JSON.stringify({
        batch: calls(prefix, {
          timestamp: "2026-11-22T18:00:00.123456+00:00",
          more: library("analytics-php", "3.8"),
        }),
        sentAt: "2026-11-22T18:00:01+00:00",
      }),
    })),
  },
  {
    name: "Analytics.NET (.NET)",
    path: "/v1/import",
    request: (writeKey, prefix) => ({
      headers: {
        ...basic(writeKey),
        "content-type": "application/json; charset=utf-8",
        "user-agent": "analytics-net",
      },
      body: JSON.stringify({
        messageId: `${prefix}-batch`,
        sentAt: "2026-11-22T18:00:01.0000000Z",
        batch: calls(prefix, {
          timestamp: "2026-11-22T18:00:00.1234567Z",
          more: { ...library("Analytics.NET", "3"), integrations: {} },
        }),
      }),
    }),
  },
  {
    name: "Analytics-CSharp (.NET, Unity)",
    path: "/v1/b",
    request: compressed(mobile("analytics-csharp", { timestamp: MILLISECONDS }, {})),
  },
  {
    name: "analytics-swift 1.9 (Swift)",
    path: "/v1/b",
    request: mobile(
      "analytics-ios/1.9",
      { timestamp: MILLISECONDS, more: { _metadata: { bundled: [], unbundled: [], bundledIds: [] } } },
      { "content-type": "application/json; charset=utf-8" },
    ),
  },
  {
    name: "@segment/analytics-react-native 2 (React Native)",
    path: "/v1/b",
    request: mobile("okhttp", { timestamp: MILLISECONDS }, { ...JSON_TYPE, "x-retry-count": "1" }),
  },
  {
    name: "analytics_flutter 1.1 (Flutter)",
    path: "/v1/b",
    request: mobile("analytics-flutter/1.1", { timestamp: MILLISECONDS }, JSON_TYPE),
  },
  {
    name: "analytics-ios (Objective-C)",
    path: "/v1/batch",
    request: compressed(mobile("analytics-ios", { timestamp: MILLISECONDS }, JSON_TYPE)),
  },
  {
    name: "analytics-android (Android)",
    path: "/v1/import",
    request: compressed(mobile("analytics-android", { timestamp: MILLISECONDS }, JSON_TYPE)),
  },
];
