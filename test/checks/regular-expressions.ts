// Refuses regular expressions that can take longer than their text is long: whoever sends the text could stop a process. Run as
// a program it looks at every production file and names what it refuses.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSafePattern } from "redos-detector";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../..");
const FILES = "{packages,services,clients}/**/*.ts";
/** What runs only while the product is built or tested. */
const NOT_PRODUCTION = /\.test\.ts$|\/fixtures\/|\/node_modules\//;

/** Refused by the tool, which does not see that they are linear; with the reason. */
const LINEAR = new Map([
  [
    String.raw`(:\/\/)[^\s/?#\\]*@`,
    "each run that is looked through ends before the slashes that begin the next",
  ],
  [String.raw`("write_?key"\s*:\s*")`, "blanks are looked through behind one name only, up to the next"],
]);

/** A pattern takes much less; one that is not judged by then is refused. */
const TIMEOUT_MS = 20_000;

interface Expression {
  readonly place: string;
  /** undefined: made from other text than a literal, so nobody can judge it. */
  readonly pattern: { readonly source: string; readonly flags: string } | undefined;
}

function literalPattern(text: string): Expression["pattern"] {
  const end = text.lastIndexOf("/");
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

/** The pattern of `new RegExp(…)`, or of `pattern: "…"` in a JSON schema; undefined when the node is neither. */
function otherPattern(node: ts.Node): { readonly pattern: Expression["pattern"] } | undefined {
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
  if (isCall && node.expression.getText() === "RegExp") {
    const [source, flags] = node.arguments ?? [];
    const isLiteral = source !== undefined && ts.isStringLiteralLike(source);
    const pattern = { source: isLiteral ? source.text : "", flags: flags?.getText().slice(1, -1) ?? "" };
    return { pattern: isLiteral ? pattern : undefined };
  }
  const isSchema = ts.isPropertyAssignment(node) && node.name.getText() === "pattern";
  if (!isSchema || !ts.isStringLiteralLike(node.initializer)) return undefined;
  return { pattern: { source: node.initializer.text, flags: "u" } };
}

function expressionsIn(file: string): Expression[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    const place = `${file}:${line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, pattern: literalPattern(node.text) });
    const other = otherPattern(node);
    if (other !== undefined) found.push({ place, ...other });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What is wrong with it; undefined when nothing is. */
function fault({ pattern }: Expression): string | undefined {
  if (pattern === undefined) return "is made at run time: write a literal, or a loop";
  const { source, flags } = pattern;
  if (LINEAR.has(source)) return undefined;
  const { safe } = isSafePattern(source, {
    caseInsensitive: flags.includes("i"),
    dotAll: flags.includes("s"),
    multiLine: flags.includes("m"),
    unicode: /[uv]/.test(flags),
    timeout: TIMEOUT_MS,
  });
  return safe ? undefined : `/${source}/${flags} can take longer than its text is long`;
}

const files = globSync(FILES, { cwd: ROOT }).filter((file) => !NOT_PRODUCTION.test(file));
const faults = files.flatMap(expressionsIn).flatMap((expression) => {
  const wrong = fault(expression);
  return wrong === undefined ? [] : [`${expression.place} ${wrong}\n`];
});
process.stderr.write(faults.join(""));
process.exitCode = faults.length === 0 ? 0 : 1;
