// `npm start`
import { install, NODE_FLAGS, printsHelp, runOnNode } from "./install.mjs";

if (!printsHelp("dev/start/help.txt")) {
  await install();
  runOnNode([...NODE_FLAGS, "dev/start/main.ts", ...process.argv.slice(2)], { ownGroup: true });
}
