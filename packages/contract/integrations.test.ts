import { describe, expect, test } from "@jest/globals";
import { isIntegrationEnabled } from "./index.ts";
import { readIntegrations } from "./integrations.ts";

describe("integrations (contract 1.4)", () => {
  test.each([
    ["nothing given", undefined, true],
    ["an empty object", {}, true],
    ["All false", { All: false }, false],
    ["All false, Webhooks true", { All: false, Webhooks: true }, true],
    ["All true, Webhooks false", { All: true, Webhooks: false }, false],
    ["Webhooks false", { Webhooks: false }, false],
    ["names are case-sensitive", { webhooks: false }, true],
    ["All false with another name true", { All: false, webhooks: true }, false],
    ["an object counts as true", { All: false, Webhooks: { some: "option" } }, true],
    ["an empty object counts as true", { All: false, Webhooks: {} }, true],
    ["null counts as not given", { All: false, Webhooks: null }, false],
    ["lower-case all is read like All", { all: false }, false],
    ["All goes before all", { All: true, all: false }, true],
    ["All that is null does not", { All: null, all: false }, false],
    ["other destinations do not matter", { Mailchimp: false }, true],
  ])("%s", (_, given, enabled) => {
    expect(isIntegrationEnabled(readIntegrations(given))).toBe(enabled);
  });

  test("another destination is asked for by its name", () => {
    expect(isIntegrationEnabled({ Webhooks: false }, "Other")).toBe(true);
  });

  test("a destination named like a method or __proto__ is a name like any other", () => {
    const given = JSON.parse('{"__proto__":true,"constructor":false}');
    expect(Object.entries(readIntegrations(given))).toEqual([
      ["__proto__", true],
      ["constructor", false],
    ]);
    expect(isIntegrationEnabled({}, "constructor")).toBe(true);
  });
});
