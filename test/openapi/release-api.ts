// What a release answers: `node test/openapi/release-api.ts` keeps the present OpenAPI document, packed, as that of the version that is
// released. From then on no change since it is known.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { KNOWN_FILE } from "./breaking-changes.ts";
import { currentDocument, RELEASED_FILE } from "./document.ts";

writeFileSync(RELEASED_FILE, gzipSync(JSON.stringify(await currentDocument()), { level: 9 }));
writeFileSync(KNOWN_FILE, "");
