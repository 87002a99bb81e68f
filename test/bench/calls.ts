// The calls that the benchmarks send: the size and shape of what analytics-node sends for a server-side track call.

/** One track call of about 0.7 KB; `sentAtMs` travels in the properties so that a receiver can tell the latency. */
export function sampleCall(index: number, sentAtMs: number): object {
  return {
    type: "track",
    event: "Order Completed",
    userId: `user-${index % 1000}`,
    messageId: `bench-${index}-${Math.round(sentAtMs)}`,
    timestamp: "2026-01-02T03:04:05.678Z",
    properties: {
      orderId: `order-${index}`,
      total: 129.95,
      currency: "EUR",
      coupon: null,
      products: [
        { productId: "p-1", name: "Desk lamp", price: 49.95, quantity: 1 },
        { productId: "p-2", name: "Office chair", price: 80, quantity: 1 },
      ],
      sentAtMs,
    },
    context: {
      library: { name: "@segment/analytics-node", version: "3.1.0" },
      locale: "en-GB",
      timezone: "Europe/Berlin",
      page: { path: "/checkout", url: "https://shop.example.com/checkout", title: "Checkout" },
    },
    integrations: {},
  };
}
