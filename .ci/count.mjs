// Prints `N passed, N failed` from jest's result file. A suite that could not run counts as one failed test; a
// result with no test in it, or none at all, is a failure.
import { existsSync, readFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const none = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1 };
const result = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : none;
const passed = result.numPassedTests;
const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
