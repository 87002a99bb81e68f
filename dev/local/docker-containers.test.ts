import { describe, expect, test } from "@jest/globals";
import * as testcontainers from "testcontainers";
import { type Cluster, kafkaContainer, registryContainer } from "./docker-containers.ts";

/** The port bindings that the engine would be asked for. */
function portBindings(container: testcontainers.GenericContainer): Record<string, object[]> {
  return (container as unknown as { hostConfig: { PortBindings: Record<string, object[]> } }).hostConfig
    .PortBindings;
}

const cluster: Cluster = {
  testcontainers,
  network: { getName: () => "net", getId: () => "net" } as testcontainers.StartedNetwork,
  host: "127.0.0.1",
  ports: [19_092],
  detours: [[{ listener: 19_095, advertised: 19_096 }]],
};

describe("the Docker rung publishes on loopback only", () => {
  test("Kafka's ports, detours too", () => {
    expect(portBindings(kafkaContainer(cluster, 0))).toEqual({
      "9092/tcp": [{ HostPort: "19092", HostIp: "127.0.0.1" }],
      "9095/tcp": [{ HostPort: "19095", HostIp: "127.0.0.1" }],
    });
  });

  test("the registry's", () => {
    expect(portBindings(registryContainer(testcontainers))).toEqual({
      "8080/tcp": [{ HostPort: "0", HostIp: "127.0.0.1" }],
    });
  });
});
