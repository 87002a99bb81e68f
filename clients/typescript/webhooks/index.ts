export type { ReadBodyOptions, RequestBody } from "./read-body.ts";
export { readRawBody } from "./read-body.ts";
export type {
  DeliveredCall,
  IncomingCall,
  Receipt,
  ReceiveFailure,
  ReceiveOptions,
  Scheme,
} from "./receive-call.ts";
export { receiveCall } from "./receive-call.ts";
export type { Secrets } from "./secrets.ts";
export type { SignatureFailure, SignatureVerification } from "./signature.ts";
export { verifySignature } from "./signature.ts";
export type {
  HeaderSource,
  StandardWebhookFailure,
  StandardWebhookOptions,
  StandardWebhookVerification,
} from "./standard-webhooks.ts";
export { verifyStandardWebhook } from "./standard-webhooks.ts";
