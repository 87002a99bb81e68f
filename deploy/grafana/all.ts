import { audiences } from "./audiences.ts";
import { delivery } from "./delivery.ts";
import { ingest } from "./ingest.ts";
import { kafka } from "./kafka.ts";
import { overview } from "./overview.ts";
import type { Dashboard } from "./panels.ts";

/** All of them, in the order in which a call goes. */
export const dashboards: readonly Dashboard[] = [overview, ingest, delivery, kafka, audiences];
