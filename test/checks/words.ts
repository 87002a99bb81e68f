// Refuses the words that docs/develop/glossary.md has replaced. Run as a program it looks at the product's code, its comments included.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const GLOSSARY = "docs/develop/glossary.md";
const FILES = "{packages,services}/**/*.ts";

/** By word what is said instead: the rows of the glossary's last table. */
function replacedWords(glossary: string): ReadonlyMap<string, string> {
  const [, table = ""] = glossary.split("## Not used");
  const rows = [...table.matchAll(/^\| (?<word>[a-z]+(?: [a-z]+)*) \| (?<instead>[^|]+) \|$/gm)];
  return new Map(
    rows.filter(([, word]) => word !== "not").map(([, word = "", instead = ""]) => [word, instead]),
  );
}

/** The words of a line, also those within names: "openLanes" has "open" and "lanes". */
function wordsOf(line: string): string[] {
  return (line.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ""));
}

/** What the glossary has replaced in several words. */
function phrasesIn(line: string): string[] {
  const words = ` ${wordsOf(line).join(" ")} `;
  return [...replaced.keys()].filter((phrase) => phrase.includes(" ") && words.includes(` ${phrase} `));
}

const replaced = replacedWords(readFileSync(join(ROOT, GLOSSARY), "utf8"));
const found = globSync(FILES, { cwd: ROOT }).flatMap((file) =>
  readFileSync(join(ROOT, file), "utf8")
    .split("\n")
    .flatMap((line, index) =>
      [...wordsOf(line).filter((word) => replaced.has(word)), ...phrasesIn(line)].map(
        (word) => `${file}:${index + 1} says "${word}": ${GLOSSARY} has ${replaced.get(word)}\n`,
      ),
    ),
);
process.stderr.write(replaced.size === 0 ? `${GLOSSARY} replaces no words\n` : found.join(""));
process.exitCode = replaced.size === 0 || found.length > 0 ? 1 : 0;
