// The one inner module of the client that is patched; it ships without types.
declare module "kafkajs/src/network/requestQueue/index.js" {
  export interface RequestQueueInternals {
    pending: readonly unknown[];
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
  }
  const RequestQueue: { readonly prototype: RequestQueueInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default RequestQueue;
}
