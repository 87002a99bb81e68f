export { REQUEST_TIMEOUT_MS } from "./cluster/connection.ts";
export {
  type Api,
  type ClusterRequest,
  type Decision,
  type Faults,
  NO_FAULTS,
  PASS,
} from "./cluster/faults.ts";
export { SimulatedCluster } from "./cluster/index.ts";
export { SimulatedDisk } from "./disk.ts";
export { Endpoints, type Request } from "./endpoints/endpoints.ts";
export { type Behaviour, behaviourAt, type Phase, type Script } from "./endpoints/script.ts";
export { inRealEvent } from "./host/real-event.ts";
export { EPOCH_MS, VirtualHost } from "./host/virtual-host.ts";
export { RestlessWorldError, VirtualTime } from "./host/virtual-time.ts";
export { Random } from "./random.ts";
export { SimulatedRegistry } from "./registry.ts";
