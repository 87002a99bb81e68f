import { runService } from "#runtime";
import { control } from "./service.ts";

await runService(control);
