// `npm start`
import { install, printsHelp, runOnNode } from "./install.mjs";

if (!printsHelp("dev/start/help.txt")) {
  await install();
  runOnNode(["dev/start/main.ts", ...process.argv.slice(2)], { ownGroup: true });
}
