// `npm run receive -- --secret s3cr3t`: a webhook on this machine that verifies and prints what it gets.
import { install, printsHelp, runOnNode } from "./install.mjs";

if (!printsHelp("clients/typescript/example/help.txt")) {
  await install();
  runOnNode(["clients/typescript/example/server.ts", ...process.argv.slice(2)]);
}
