// Apart from the package's other fakes: most suites move nothing but time, and loading a Kafka client costs each 0.25 s of CPU.
export { inRealEvent } from "./real-event.ts";
export { settled, TestHost } from "./test-host.ts";
export { EPOCH_MS, VirtualHost } from "./virtual-host.ts";
export { RestlessWorldError, VirtualTime } from "./virtual-time.ts";
