// Settings as people read them: --help and docs/operate/configuration.md.
import { processSettings } from "./process-settings.ts";
import type { Setting } from "./setting.ts";
import type { SettingsGroup, SettingsSchema } from "./settings.ts";

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
  const sections = [processSettings, ...Object.values(schema)].map((group) => {
    const entries = group.settings.map(
      (one) => `  ${one.env}  (${one.type.name}; ${defaultOf(one)})\n${wrap(sentencesOf(one), "      ")}`,
    );
    return `${group.title}\n${entries.join("\n")}`;
  });
  return `${processName} is set by environment variables.\n\n${sections.join("\n\n")}\n`;
}

/** One table of docs/operate/configuration.md. */
export function groupTable(group: SettingsGroup<unknown>): string {
  const cell = (content: string): string => content.replaceAll("|", "\\|");
  const rows = group.settings.map((one) => {
    const shown = defaultOf(one);
    const code = one.required || shown === "none" ? shown : `\`${shown}\``;
    return `| \`${one.env}\` | ${cell(one.type.name)} | ${cell(code)} | ${cell(sentencesOf(one))} |`;
  });
  return ["| variable | value | default | what it does |", "|---|---|---|---|", ...rows].join("\n");
}
