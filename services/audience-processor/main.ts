import { setFlagsFromString } from "node:v8";
import { runService } from "#runtime";
import { audienceProcessor } from "./service.ts";

// An event lives until its batch is durable, a profile for a while: V8 would come to take all like them for something that stays (decision 50).
setFlagsFromString("--no-allocation-site-pretenuring");

await runService(audienceProcessor);
