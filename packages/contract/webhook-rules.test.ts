import { describe, expect, test } from "@jest/globals";
import { FORBIDDEN_HEADERS, headerProblems, urlProblem, webhookProblems } from "./webhook-rules.ts";

const hook = (index: number) => ({ url: `https://example.com/${index}` });
const hooks = (count: number) => Array.from({ length: count }, (_, index) => hook(index));

describe("webhook URLs (contract 4.2)", () => {
  test.each([
    "http://example.com",
    "https://example.com/path?q=1#f",
    "http://127.0.0.1:8080/",
    "https://[2001:db8::1]/x",
    "HTTPS://EXAMPLE.COM/",
    "https://bücher.example/",
    "https://example.com/@user?to=a@b#@",
  ])("%s is accepted", (url) => expect(urlProblem(url)).toBeUndefined());

  test.each([
    ["ftp://example.com", "http:// or https://"],
    ["example.com/hook", "http:// or https://"],
    ["//example.com", "http:// or https://"],
    ["http:example.com", "http:// or https://"],
    ["javascript:alert(1)", "http:// or https://"],
    ["", "http:// or https://"],
    ["http:///path", "http:// or https://"],
    ["https://user:pass@example.com/", "credentials"],
    ["https://user@example.com/", "credentials"],
    ["https://@example.com/", "credentials"],
    ["https://:@example.com/", "credentials"],
    ["https://a@b@example.com", "credentials"],
    ["https://exa mple.com/", "blanks"],
    ["https://example.com/\n", "blanks"],
    ["https://example.com\\@127.0.0.1/", "backslashes"],
    ["http:\\\\127.0.0.1/", "backslashes"],
    ["https://\\example.com/", "backslashes"],
    ["https://exam\u00adple.com/", "invisible"],
    ["https://example.com\u200b/", "invisible"],
    ["https://example.com:99999/", "valid URL"],
    [`https://example.com/${"x".repeat(2_048)}`, "2048"],
  ])("%j is refused", (url, message) => expect(urlProblem(url)).toContain(message));
});

describe("static headers (contract 2.8)", () => {
  test.each([...FORBIDDEN_HEADERS])("%s cannot be overridden, in whatever case", (name) => {
    expect(headerProblems({ [name.toUpperCase()]: "x" }, "headers")).toEqual([
      { path: `headers.${name.toUpperCase()}`, message: "is set by Hookline and cannot be overridden" },
    ]);
  });

  test("the contract's list is covered", () => {
    const named = [
      "user-agent",
      "content-type",
      "content-length",
      "host",
      "x-signature",
      "connection",
      "transfer-encoding",
    ];
    expect(named.filter((name) => !FORBIDDEN_HEADERS.has(name))).toEqual([]);
  });

  test.each(["", "with blank", "col:on", "new\nline", "ümlaut", "x".repeat(257)])(
    "the name %j is refused",
    (name) => {
      expect(headerProblems({ [name]: "x" }, "headers")).toHaveLength(1);
    },
  );

  test.each(["a\r\nEvil: 1", "nul\0", "ünicode", " leading", "trailing ", "x".repeat(4_097)])(
    "the value %j is refused and not repeated",
    (value) => {
      const [problem] = headerProblems({ "X-Token": value }, "headers");
      expect(problem?.path).toBe("headers.X-Token");
      expect(problem?.message).not.toContain(value);
    },
  );

  test.each(["", "Bearer abc:def", "a\tb", "x".repeat(4_096)])("the value %j is accepted", (value) => {
    expect(headerProblems({ Authorization: value }, "headers")).toEqual([]);
  });

  test("the same name twice in different cases is refused", () => {
    expect(headerProblems({ "X-A": "1", "x-a": "2" }, "h")).toEqual([
      { path: "h.x-a", message: "is given twice; header names ignore case" },
    ]);
  });

  test("51 headers are too many", () => {
    const headers = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, "v"]));
    expect(headerProblems(headers, "h")).toEqual([{ path: "h", message: "must have at most 50 entries" }]);
    expect(headerProblems(Object.fromEntries(Object.entries(headers).slice(1)), "h")).toEqual([]);
  });
});

describe("the webhooks of a destination (contract 3.1, 4.2)", () => {
  test("one to five are accepted, none and six are not", () => {
    expect(webhookProblems(hooks(1))).toEqual([]);
    expect(webhookProblems(hooks(5))).toEqual([]);
    expect(webhookProblems([])).toEqual([{ path: "webhooks", message: "must have 1 to 5 entries" }]);
    expect(webhookProblems(hooks(6))).toEqual([{ path: "webhooks", message: "must have 1 to 5 entries" }]);
  });

  test("duplicates are refused, however they are spelled", () => {
    expect(webhookProblems([{ url: "https://example.com" }, { url: "HTTPS://Example.com:443/" }])).toEqual([
      { path: "webhooks[1].url", message: "is the same as another webhook's" },
    ]);
  });

  test("every wrong field is named at once", () => {
    const paths = webhookProblems([
      { url: "nope" },
      { url: "https://example.com/", headers: { Host: "x", "bad name": "y", Fine: "z" } },
    ]).map(({ path }) => path);
    expect(paths).toEqual(["webhooks[0].url", "webhooks[1].headers.Host", "webhooks[1].headers.bad name"]);
  });
});
