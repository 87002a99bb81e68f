// What a release answers: `node test/openapi/release-api.ts` keeps the present OpenAPI document as that of the version that is released.
import { writeFileSync } from "node:fs";
import { currentDocument, RELEASED_FILE } from "./document.ts";

writeFileSync(RELEASED_FILE, `${JSON.stringify(await currentDocument(), null, 1)}\n`);
