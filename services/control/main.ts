import { runService } from "#runtime";
import { control } from "./control.ts";

await runService(control);
