import { describe, expect, test } from "@jest/globals";
import kafkajs from "kafkajs";
import { fromClientError, KafkaError, toError } from "./errors.ts";

const {
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
} = kafkajs;

function protocolError(type: string, retriable: boolean): Error {
  return new KafkaJSProtocolError(Object.assign(new Error(type), { type, retriable, code: 1 }));
}

describe("errors", () => {
  test("a lost connection can be tried again, also inside the client's wrappers", () => {
    const lost = new KafkaJSConnectionError("connect ECONNREFUSED");
    const wrapped = new KafkaJSNumberOfRetriesExceeded(lost, { retryCount: 3, retryTime: 100 });
    expect(fromClientError(wrapped)).toMatchObject({ code: "unavailable", canRetry: true, cause: wrapped });
  });

  test("an answer that passes can be tried again", () => {
    expect(fromClientError(protocolError("NOT_ENOUGH_REPLICAS", true))).toMatchObject({ canRetry: true });
  });

  test.each(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"])("%s is final for the record", (type) => {
    expect(fromClientError(protocolError(type, false))).toMatchObject({
      code: "record_too_large",
      canRetry: false,
    });
  });

  test("a group without a coordinator may be one that is refused, which the client does not tell", () => {
    const notFound = { name: "KafkaJSGroupCoordinatorNotFound", message: "Failed to find group coordinator" };
    expect(fromClientError(notFound)).toMatchObject({
      code: "unavailable",
      canRetry: true,
      message:
        "Failed to find group coordinator: it is not there yet, or no rule lets this user at the group (hookline topics acls)",
    });
  });

  test("refused access is final", () => {
    expect(fromClientError(protocolError("TOPIC_AUTHORIZATION_FAILED", false))).toMatchObject({
      code: "not_authorized",
      canRetry: false,
    });
    expect(
      fromClientError({
        name: "KafkaJSSASLAuthenticationError",
        message: "SASL PLAIN authentication failed: bad password",
        retriable: false,
      }),
    ).toMatchObject({
      code: "not_authorized",
      canRetry: false,
    });
  });

  // As kafkajs puts it: broker/saslAuthenticator keeps the text alone of what has failed.
  test.each([
    "SASL PLAIN authentication failed: Closed connection",
    "SASL SCRAM SHA512 authentication failed: Connection error: read ECONNRESET",
    "SASL PLAIN authentication failed: Request SaslAuthenticate(key: 36, version: 1) timed out",
  ])("a login that was cut off can be tried again: %s", (message) => {
    const thrown = { name: "KafkaJSSASLAuthenticationError", message, retriable: false };
    expect(fromClientError(thrown)).toMatchObject({ code: "unavailable", canRetry: true });
  });

  test("an unknown topic can be tried again: it may be about to be created", () => {
    expect(fromClientError(protocolError("UNKNOWN_TOPIC_OR_PARTITION", false))).toMatchObject({
      code: "unknown_topic",
      canRetry: true,
    });
  });

  test("anything else that the client calls final is final", () => {
    const error = new KafkaJSNonRetriableError("the client's own bug");
    expect(fromClientError(error)).toMatchObject({ code: "request_failed", canRetry: false });
  });

  test("the client's stumbling over metadata that it has lost can be tried again", () => {
    const stumble = new TypeError("Cannot read properties of null (reading 'topicMetadata')");
    expect(
      fromClientError(Object.assign(new KafkaJSNonRetriableError(stumble.message), { cause: stumble })),
    ).toMatchObject({
      code: "unavailable",
      canRetry: true,
    });
  });

  test("a broker that was lost while the client asked it can be asked again", () => {
    const lost = new Error("Broker not connected");
    const wrapped = Object.assign(new KafkaJSNonRetriableError(lost.message), { cause: lost });
    expect(fromClientError(lost)).toMatchObject({ code: "unavailable", canRetry: true });
    expect(fromClientError(wrapped)).toMatchObject({ code: "unavailable", canRetry: true });
    expect(fromClientError(new Error("value should be an instance of Encoder"))).toMatchObject({
      code: "request_failed",
      canRetry: false,
    });
  });

  test.each([
    ...["KafkaJSConnectionError", "KafkaJSConnectionClosedError", "KafkaJSRequestTimeoutError"],
    ...["KafkaJSBrokerNotFound", "KafkaJSNoBrokerAvailableError", "KafkaJSLockTimeout"],
  ])("%s passes, whatever the client says", (name) => {
    const thrown = { name, message: "lost", retriable: false };
    expect(fromClientError(thrown)).toMatchObject({ code: "unavailable", canRetry: true, message: "lost" });
  });

  test.each([
    ["INVALID_TOPIC_EXCEPTION", "unknown_topic", true],
    ["GROUP_AUTHORIZATION_FAILED", "not_authorized", false],
    ["CLUSTER_AUTHORIZATION_FAILED", "not_authorized", false],
    ["SASL_AUTHENTICATION_FAILED", "not_authorized", false],
    ["NOT_LEADER_FOR_PARTITION", "request_failed", true],
  ])("%s is %s", (type, code, canRetry) => {
    // The result is the same where the client says that it may pass.
    expect(fromClientError(protocolError(type, true))).toMatchObject({ code, canRetry });
  });

  test("an error says its name, and a cause only where there is one", () => {
    const without = new KafkaError("closed", "it is closed", { canRetry: false });
    expect(String(without)).toBe("KafkaError: it is closed");
    expect(Object.hasOwn(without, "cause")).toBe(false);
    const cause = new Error("why");
    expect(new KafkaError("closed", "it is closed", { canRetry: false, cause }).cause).toBe(cause);
  });

  test("our own errors pass unchanged, and thrown values become errors", () => {
    const own = new KafkaError("closed", "closed", { canRetry: false });
    expect(fromClientError(own)).toBe(own);
    expect(toError("text").message).toBe("text");
    const thrown = new Error("thrown");
    expect(toError(thrown)).toBe(thrown);
    expect(toError({ message: 5 }).message).toBe("[object Object]");
    expect(toError({ message: "from another realm" }).message).toBe("from another realm");
  });

  test("a cause that is none says nothing, and of causes without end the tenth is enough", () => {
    const error = Object.assign(new Error("lost"), { retriable: true, cause: null });
    expect(fromClientError(error)).toMatchObject({ message: "lost", canRetry: true });
    const endless = Object.assign(new Error("round"), { cause: {} });
    endless.cause = endless;
    expect(fromClientError(endless)).toMatchObject({ message: "round", canRetry: false });
  });

  test("nothing at all can be thrown too", () => {
    expect(fromClientError(null)).toMatchObject({ code: "request_failed", message: "null" });
    expect(fromClientError({ name: "Nameless" }).message).toBe("Nameless");
    expect(fromClientError({}).message).toBe("unknown");
    expect(toError(null).message).toBe("null");
  });
});
