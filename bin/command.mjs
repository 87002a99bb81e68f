// `npm run service -- ingest`, `npm run provision`: the `hookline` command of this clone, on the Node that comes with it.
import { install, NODE_FLAGS, runOnNode } from "./install.mjs";

await install();
runOnNode([...NODE_FLAGS, "cli/main.ts", ...process.argv.slice(2)], { ownGroup: true });
