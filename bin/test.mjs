// `npm test [-- <pattern or jest option>...]`
import { install, runOnNode } from "./install.mjs";

await install();
runOnNode([
  "--disable-warning=ExperimentalWarning",
  "--experimental-vm-modules",
  "node_modules/jest/bin/jest.js",
  ...process.argv.slice(2),
]);
