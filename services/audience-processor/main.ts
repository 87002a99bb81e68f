import { runService } from "#runtime";
import { audienceProcessor } from "./service.ts";

await runService(audienceProcessor);
