// Which browser of the machine tests use, and what is said before the first test where none is to be had.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "#runtime";
import { environment as ofProcess } from "#support/environment";
import { isOnPath } from "./debian.ts";

/** As the packages of Debian, Fedora, Alpine, Ubuntu and of Google itself call it. */
const NAMES = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser"];
const IMPORTS_A_BROWSER = /"(?:#support|\.)\/chromium(?:\.ts)?"|"\.\/(?:sdks|shown)\.ts"/;

/** The path of the program: CHROME_PATH, or else what is on the PATH. Throws when CHROME_PATH cannot be run. */
export function installedBrowser(environment: Environment = ofProcess): string | undefined {
  const { CHROME_PATH: given, PATH: path = "" } = environment;
  if (given === undefined || given === "") {
    const programs = NAMES.flatMap((name) => path.split(delimiter).map((folder) => join(folder, name)));
    return programs.find((program) => existsSync(program) && isOnPath(program, environment));
  }
  if (isOnPath(given, environment)) return given;
  throw new Error(`CHROME_PATH is ${given}, which cannot be run with --version`);
}

/** Whether a suite starts a browser, by its text: the SDKs that run in one are started as programs of their own. */
export function usesBrowser(source: string): boolean {
  return IMPORTS_A_BROWSER.test(source);
}

/** Throws, with what to install, where suites that need a browser would find none. */
export function requireBrowser(environment: Environment = ofProcess): void {
  if (installedBrowser(environment) !== undefined || isOnPath("apt-get", environment)) return;
  throw new Error(
    "Tests of the browser client need Chromium or Chrome, and this machine has neither, nor apt-get to unpack one with. " +
      "Install one (Fedora: dnf install chromium; macOS: brew install --cask google-chrome) and set CHROME_PATH " +
      "where it is not on the PATH (macOS: /Applications/Google Chrome.app/Contents/MacOS/Google Chrome).",
  );
}
