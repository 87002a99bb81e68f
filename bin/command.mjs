// `npm run service -- ingest`, `npm run provision`: the `hookline` command of this clone, on the Node that comes with it.
import { install, runOnNode } from "./install.mjs";

await install();
runOnNode(["cli/main.ts", ...process.argv.slice(2)], { ownGroup: true });
