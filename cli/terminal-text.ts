// Text from outside must not steer the terminal that it is shown in, nor look like a line of ours.

/**
 * One pass over what terminals and people's eyes obey: ANSI sequences as a whole (CSI, then OSC and its kin up to their end),
 * then single characters: C0 and C1, and those that turn the direction of writing or break lines without being seen.
 */
const ANSI =
  "\\u001b\\[[0-?]*[ -/]*[@-~]|\\u001b[PX^_\\]][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?|\\u001b[@-Z\\\\^_]?";
const C1_SEQUENCE = "\\u009b[0-?]*[ -/]*[@-~]";
const UNSEEN = "[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]";
const STEERING = new RegExp(`${ANSI}|${C1_SEQUENCE}|${UNSEEN}`, "g");

/** A text of somebody else for one line: line breaks and tabs become blanks, whatever else steers goes. */
export function printable(text: string): string {
  return text.replace(STEERING, (found) => (/^[\t\n\r\u0085\u2028\u2029]$/.test(found) ? " " : ""));
}

/** Lines of ours, whose breaks are meant. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
