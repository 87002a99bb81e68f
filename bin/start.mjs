// `npm start`
import { install, printsHelp, runOnNode } from "./install.mjs";

if (!printsHelp("deploy/start/help.txt")) {
  await install();
  runOnNode(["deploy/start/main.ts", ...process.argv.slice(2)], { ownGroup: true });
}
