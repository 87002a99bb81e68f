// `npm start`
import { install, runOnNode } from "./install.mjs";

await install();
runOnNode(["deploy/start/main.ts", ...process.argv.slice(2)], { ownGroup: true });
