// `npm run receive -- --secret s3cr3t`: a webhook on this machine that verifies and prints what it gets.
import { install, runOnNode } from "./install.mjs";

await install();
runOnNode(["clients/typescript/example/server.ts", ...process.argv.slice(2)]);
