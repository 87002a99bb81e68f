import { runService } from "#runtime";
import { webhookRouter } from "./service.ts";

await runService(webhookRouter);
