import { describe, expect, test } from "@jest/globals";
import { PRINCIPALS } from "#topics";
import { printedBy } from "./fixtures/printed.ts";

interface Rule {
  readonly principal: string;
  readonly resourceType: string;
  readonly patternType: string;
  readonly names: readonly string[];
  readonly operations: readonly string[];
}

const ENVIRONMENT = { HOOKLINE_TOPIC_PREFIX: "shop-", HOOKLINE_RETRY_DELAYS: "10s,5m" };

const acls = (...args: string[]) => printedBy(["topics", "acls", ...args], ENVIRONMENT);

const listed = async (...args: string[]): Promise<Rule[]> =>
  JSON.parse((await acls("--json", ...args)).lines.join("\n")) as Rule[];

/** The access rule that a printed command gives. */
function ruleOf(line: string): Rule {
  const given = (option: string): string[] =>
    [...line.matchAll(new RegExp(`--${option} (?:'([^']*)'|([^ ]+))`, "g"))].map(
      ([, quoted, bare]) => quoted ?? bare ?? "",
    );
  const isOnTopics = given("topic").length > 0;
  return {
    principal: given("allow-principal").join(),
    resourceType: isOnTopics ? "topic" : "group",
    patternType: given("resource-pattern-type")[0] ?? "literal",
    names: given(isOnTopics ? "topic" : "group"),
    operations: given("operation"),
  };
}

describe("what is allowed", () => {
  test("is named process by process, in this deployment's names", async () => {
    const rules = await listed();
    expect(new Set(rules.map(({ principal }) => principal))).toEqual(
      new Set(PRINCIPALS.map((process) => `User:hookline-${process}`)),
    );
    expect(rules.filter(({ principal }) => principal === "User:hookline-ingest")).toEqual([
      {
        principal: "User:hookline-ingest",
        resourceType: "topic",
        patternType: "literal",
        names: ["shop-calls", "shop-refused-calls", "shop-former-key-uses"],
        operations: ["Write"],
      },
      {
        principal: "User:hookline-ingest",
        resourceType: "topic",
        patternType: "literal",
        names: ["shop-source-config", "shop-suppressions", "shop-suppressions-begun"],
        operations: ["Read"],
      },
    ]);
  });

  test("is never everything of a kind, and only who sets up may create", async () => {
    const rules = await listed();
    expect(rules.flatMap(({ names }) => names).filter((name) => !name.includes("shop-"))).toEqual([]);
    expect(rules.flatMap(({ operations }) => operations)).not.toContain("All");
    const makers = rules.filter(({ operations }) => operations.includes("Create"));
    expect(makers.map(({ principal }) => principal)).toEqual(["User:hookline-topics"]);
  });

  test("is the same as commands for a shell and as JSON", async () => {
    const { lines } = await acls();
    const commands = lines.filter((line) => !line.startsWith("#"));
    expect(commands.every((line) => line.startsWith("kafka-acls.sh "))).toBe(true);
    expect(commands.map(ruleOf)).toEqual(await listed());
  });

  test("is given to the principals that are named, e.g. those of certificates", async () => {
    const principals = (await listed("--principal", "User:CN={process}.example.com,O=Shop")).map(
      ({ principal }) => principal,
    );
    expect(principals).toContain("User:CN=webhook-router.example.com,O=Shop");
    expect(await acls("--principal", "hookline")).toMatchObject({
      code: 2,
      said: "hookline: --principal is a type and a name, as in User:hookline",
    });
  });
});
