// The page of metrics, from the calls that declare them. The values of labels
// come from their types, so that a list that is a union elsewhere is written out here.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import type { Generated } from "./generated.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = "docs/operate/metrics.md";
const REASONS = "../use/reasons.md";
const PREFIX = "hookline_";
const KINDS = new Set(["counter", "gauge", "histogram"]);
const DECLARED_IN = /^(services|packages\/(?:connection|runtime|tracing))\/(?!.*(\.test\.ts$|\/fixtures\/))/;

const INTRODUCTION = `# Metrics

<!-- Generated from the calls that declare metrics by \`npm run generate\`; do not edit. -->

For operators: every metric with its labels. A process serves them at \`/metrics\` on its operations port, beside Node's own (\`nodejs_…\`, \`process_…\`). Every
known combination of labels is there from the start, at 0. \`_total\` is a counter; other metrics but histograms are gauges.
`;

interface Metric {
  readonly owner: string;
  readonly name: string;
  readonly kind: string;
  /** Labels, each as "reason: a, b". */
  readonly labels: readonly string[];
  readonly help: string;
}

function programOf(): ts.Program {
  const file = join(ROOT, "tsconfig.json");
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  return ts.createProgram(fileNames, { ...options, noEmit: true });
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

/**
 * The texts that an element of a list can be, where its type says so: a literal list's in its order, others by the alphabet, as the
 * compiler's own order changes with what it has read before.
 */
function valuesOf(list: ts.Expression, checker: ts.TypeChecker): string[] {
  const type = checker.getTypeAtLocation(list);
  if (checker.isTupleType(type)) return checker.getTypeArguments(type as ts.TypeReference).flatMap(textsOf);
  const element = type.getNumberIndexType();
  return element === undefined ? [] : textsOf(element).sort();
}

function textsOf(type: ts.Type): string[] {
  const members = type.isUnion() ? type.types : [type];
  return members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
}

const reasons = new Set(
  [...readFileSync(join(ROOT, dirname(PAGE), REASONS), "utf8").matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, reason = ""]) => reason,
  ),
);

/** The page of reasons has each that is one; few are written out. */
function withoutReasons(values: readonly string[]): string[] {
  const others = values.filter((each) => !reasons.has(each));
  return values.length - others.length > 2 ? [...others, `[reasons](${REASONS})`] : [...values];
}

function labelsOf(object: ts.ObjectLiteralExpression, checker: ts.TypeChecker): string[] {
  const labels = propertyOf(object, "labels");
  if (labels === undefined || !ts.isObjectLiteralExpression(labels)) return [];
  return labels.properties.map((property) => {
    const name = property.name?.getText() ?? "";
    const value = propertyOf(labels, name);
    const values = value === undefined ? [] : withoutReasons(valuesOf(value, checker));
    return values.length === 0 ? `\`${name}\`` : `\`${name}\`: ${values.join(", ")}`;
  });
}

function ownerOf(file: string): string {
  const [parent, name = ""] = file.split("/");
  return parent === "services" ? name : "several processes";
}

/** The metric that a call declares; undefined when it declares none. */
function metricOf(node: ts.Node, checker: ts.TypeChecker): Omit<Metric, "owner"> | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const kind = node.expression.name.text;
  const [options] = node.arguments;
  if (!KINDS.has(kind) || options === undefined || !ts.isObjectLiteralExpression(options)) return undefined;
  const name = propertyOf(options, "name");
  const help = propertyOf(options, "help");
  if (name === undefined || help === undefined || ts.isIdentifier(name)) return undefined;
  if (!ts.isStringLiteralLike(name) || !ts.isStringLiteralLike(help)) {
    throw new TypeError(`${node.getSourceFile().fileName}: name and help of a metric are literals`);
  }
  return { name: PREFIX + name.text, kind, labels: labelsOf(options, checker), help: help.text };
}

/** The gauges that a call of watchNumbers declares. */
function watchedNumbers(node: ts.Node): Omit<Metric, "owner">[] {
  if (!ts.isCallExpression(node) || node.expression.getText() !== "watchNumbers") return [];
  const gauges = node.arguments[2];
  if (gauges === undefined || !ts.isObjectLiteralExpression(gauges)) return [];
  return gauges.properties.map((property) => {
    const [help] =
      propertyOf(gauges, property.name?.getText() ?? "")
        ?.getChildren()[1]
        ?.getChildren() ?? [];
    if (help === undefined || !ts.isStringLiteralLike(help))
      throw new TypeError(`no help: ${property.getText()}`);
    return { name: PREFIX + property.name?.getText(), kind: "gauge", labels: [], help: help.text };
  });
}

function metricsIn(program: ts.Program): Metric[] {
  const checker = program.getTypeChecker();
  return program.getSourceFiles().flatMap((source) => {
    const file = relative(ROOT, source.fileName);
    if (!DECLARED_IN.test(file)) return [];
    const found: Metric[] = [];
    const visit = (node: ts.Node): void => {
      const metric = metricOf(node, checker);
      const declared = metric === undefined ? watchedNumbers(node) : [metric];
      found.push(...declared.map((one) => ({ owner: ownerOf(file), ...one })));
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

function rowOf({ name, kind, labels, help }: Metric): string {
  const shown = kind === "histogram" ? `\`${name}\` (histogram)` : `\`${name}\``;
  return `| ${shown} | ${[help, ...labels.map((label) => `${label}.`)].join(" ")} |`;
}

function sectionOf(owner: string, metrics: readonly Metric[]): string {
  const rows = metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(rowOf);
  return [`## ${owner}`, "", "| metric | meaning, and labels |", "|---|---|", ...rows, ""].join("\n");
}

const byOwner = Map.groupBy(metricsIn(programOf()), ({ owner }) => owner);
const owners = [...byOwner.keys()].sort();
const page = [INTRODUCTION, ...owners.map((owner) => sectionOf(owner, byOwner.get(owner) ?? []))].join("\n");
export const generated: readonly Generated[] = [{ file: PAGE, text: page }];
