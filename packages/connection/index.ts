export { type ConnectOptions, connect, type KafkaAndSerde, REAL_WAYS, type Ways } from "./connect.ts";
export { type Connection, connectService } from "./connect-service.ts";
export { watchConfiguration } from "./watch-configuration.ts";
export { watchLag } from "./watch-lag.ts";
