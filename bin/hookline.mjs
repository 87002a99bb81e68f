#!/usr/bin/env node
// `hookline`: on the Node that runs this when it is new enough, else on the one of the packages (decision 79).
import { fileURLToPath } from "node:url";
import { hasPackages, install, isNewEnough, runOnNode } from "./install.mjs";

// A production installation has fewer packages than a clone, and all that it needs.
if (!hasPackages()) await install();
const main = new URL("../cli/main.ts", import.meta.url);
if (isNewEnough()) await import(main.href);
else runOnNode([fileURLToPath(main), ...process.argv.slice(2)], { cwd: process.cwd(), ownGroup: true });
