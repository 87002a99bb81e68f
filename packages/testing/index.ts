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
export { Random } from "./random.ts";
export { SimulatedRegistry } from "./registry.ts";
