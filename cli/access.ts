// `hookline topics acls`: what each process may do with Kafka, for the cluster's authorizer.
import type { Command } from "commander";
import { readSettings, topicSettings } from "#runtime";
import { type AccessRule, accessRules, PRINCIPALS, type PrincipalName } from "#topics";
import type { CommandContext } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addShownLeaf, type JsonOption } from "./leaf.ts";
import { printJson } from "./output.ts";

const PLACEHOLDER = "{process}";
const DEFAULT_PRINCIPAL = `User:hookline-${PLACEHOLDER}`;

interface AclOptions extends JsonOption {
  readonly principal: string;
}

export function addAclCommand(topics: Command, context: CommandContext): void {
  addShownLeaf(topics, "acls", {
    description: "print the rules that let each process do what it has to do with Kafka, and no more",
    examples: [
      "topics acls",
      `topics acls --principal 'User:CN=${PLACEHOLDER}.hookline.example.com'`,
      "topics acls --json",
    ],
  })
    .option(
      "--principal <name>",
      `whom to allow it; ${PLACEHOLDER} stands for ${PRINCIPALS.join(", ")}`,
      DEFAULT_PRINCIPAL,
    )
    .action((options: AclOptions) => printRules(context, options));
}

function printRules(context: CommandContext, { json, principal }: AclOptions): void {
  if (!/^\w+:.+$/.test(principal))
    throw new CommandError("--principal is a type and a name, as in User:hookline", EXIT.usage);
  const schema = { topics: topicSettings };
  const { topics } = readSettings(schema, {
    processName: "hookline topics",
    environment: context.environment,
  });
  const nameOf = (process: PrincipalName): string => principal.replaceAll(PLACEHOLDER, process);
  const rules = accessRules(topics);
  if (json === true)
    printJson(
      context,
      rules.map((rule) => ({ ...rule, principal: nameOf(rule.principal) })),
    );
  else printCommands(context, rules, nameOf);
}

/** Lines for a shell, by the program that comes with Kafka. */
function printCommands(
  { print }: CommandContext,
  rules: readonly AccessRule[],
  nameOf: (process: PrincipalName) => string,
): void {
  print(`# BOOTSTRAP is a broker's address, admin.properties how to reach it as who may change rules.`);
  for (const { principal, resourceType, patternType, names, operations } of rules) {
    const parts = [
      `kafka-acls.sh --bootstrap-server "$BOOTSTRAP" --command-config admin.properties --add`,
      `--allow-principal ${quoted(nameOf(principal))}`,
      ...operations.map((operation) => `--operation ${operation}`),
      ...(patternType === "prefixed" ? ["--resource-pattern-type prefixed"] : []),
      ...names.map((name) => `--${resourceType} ${quoted(name)}`),
    ];
    print(parts.join(" "));
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
