// `npm start`
import { install, runOnNode } from "./install.mjs";

install();
runOnNode(["deploy/start/main.ts", ...process.argv.slice(2)]);
