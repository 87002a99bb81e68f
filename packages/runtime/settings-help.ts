// Settings as people read them: --help and docs/operate/configuration.md.
import type { Setting } from "./setting.ts";
import type { SettingsSchema } from "./settings.ts";

const WIDTH = 100;

function defaultOf(one: Setting<unknown>): string {
  if (one.required) return "required";
  return one.default === undefined || one.default === "" ? "none" : one.default;
}

function sentencesOf(one: Setting<unknown>): string {
  return one.secret ? `${one.doc} May come from a file: ${one.env}_FILE.` : one.doc;
}

/** Breaks a text into lines of at most WIDTH characters, indented. */
function wrap(sentences: string, indent: string): string {
  const lines = [""];
  for (const word of sentences.split(" ")) {
    const last = lines.length - 1;
    const line = lines[last] ?? "";
    if (`${indent}${line} ${word}`.length > WIDTH) lines.push(word);
    else lines[last] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => indent + line).join("\n");
}

/** The text that `--help` prints. */
export function helpText(processName: string, schema: SettingsSchema): string {
  const sections = Object.values(schema).map((group) => {
    const entries = group.settings.map(
      (one) => `  ${one.env}  (${one.type.name}; ${defaultOf(one)})\n${wrap(sentencesOf(one), "      ")}`,
    );
    return `${group.title}\n${entries.join("\n")}`;
  });
  return `${processName} is set by environment variables.\n\n${sections.join("\n\n")}\n`;
}

/** One table of docs/operate/configuration.md, whose beginning says what lists and `_FILE` are. */
export function settingsTable(settings: readonly Setting<unknown>[]): string {
  const cell = (content: string): string => content.replaceAll("|", "\\|");
  const rows = settings.map((one) => {
    const shown = defaultOf(one);
    const code = one.required || shown === "none" ? shown : `\`${shown}\``;
    const variable = `\`${one.env}\`${one.secret ? " `_FILE`" : ""}`;
    const value = one.type.name.replace("whole number from ", "").replace("comma-separated ", "");
    return `| ${variable} | ${cell(value)} | ${cell(code)} | ${cell(one.doc)} |`;
  });
  return ["| variable | value | default | what it does |", "|---|---|---|---|", ...rows].join("\n");
}
