import { runService } from "#runtime";
import { deliverer } from "./service.ts";

await runService(deliverer);
