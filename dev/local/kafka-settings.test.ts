import { describe, expect, test } from "@jest/globals";
import { clusterSettings, imageEnvironment, localSettings, propertiesText } from "./kafka-settings.ts";

const ports = [
  { client: 1001, controller: 2001, detours: [] },
  { client: 1002, controller: 2002, detours: [] },
  { client: 1003, controller: 2003, detours: [{ listener: 3003, advertised: 4003 }] },
];

describe("the settings of a broker", () => {
  test("keep one copy of Kafka's own topics on one broker, three with two in sync on three", () => {
    expect(clusterSettings(1)).toMatchObject({
      "offsets.topic.replication.factor": 1,
      "transaction.state.log.min.isr": 1,
    });
    expect(clusterSettings(3)).toMatchObject({
      "offsets.topic.replication.factor": 3,
      "transaction.state.log.min.isr": 2,
    });
  });

  test("name every controller of the cluster and only the node's own addresses", () => {
    expect(localSettings({ index: 1, ports, dataFolder: "/data" })).toMatchObject({
      "node.id": 2,
      "controller.quorum.voters": "1@127.0.0.1:2001,2@127.0.0.1:2002,3@127.0.0.1:2003",
      listeners: "PLAINTEXT://127.0.0.1:1002,CONTROLLER://127.0.0.1:2002",
      "log.dirs": "/data",
    });
  });

  test("send whoever comes by a detour there again", () => {
    expect(localSettings({ index: 2, ports, dataFolder: "/data" })).toMatchObject({
      listeners: "PLAINTEXT://127.0.0.1:1003,CONTROLLER://127.0.0.1:2003,DETOUR1://127.0.0.1:3003",
      "advertised.listeners": "PLAINTEXT://127.0.0.1:1003,DETOUR1://127.0.0.1:4003",
      "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,DETOUR1:PLAINTEXT",
    });
  });

  test("are refused for a node that has no ports", () => {
    expect(() => localSettings({ index: 3, ports, dataFolder: "/data" })).toThrow("no ports for node 3");
  });

  test("become a properties file with backslashes escaped", () => {
    expect(propertiesText({ "node.id": 1, "log.dirs": "C:\\data" })).toBe("node.id=1\nlog.dirs=C:\\\\data\n");
  });

  test("become the image's variables", () => {
    expect(imageEnvironment({ "log.dirs": "/data", "node.id": 1 })).toEqual({
      KAFKA_LOG_DIRS: "/data",
      KAFKA_NODE_ID: "1",
    });
  });
});
