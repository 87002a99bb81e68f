import { runService } from "#runtime";
import { ingest } from "./service.ts";

await runService(ingest);
