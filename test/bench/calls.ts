// The calls that the benchmarks send: the size and shape of what analytics-node sends for a server-side track call.

export const SAMPLE_EVENT = "Order Completed";

/**
 * One track call of about 0.7 KB. The generator writes the user's digits, the message's run and number, and the sending time anew in
 * each (go/load/template.go), in their width; the time travels in the properties so that a receiver can tell the latency.
 */
export function sampleCall(): object {
  return {
    type: "track",
    event: SAMPLE_EVENT,
    userId: "user-0000",
    messageId: `bench-${"0".repeat(20)}-${"0".repeat(12)}`,
    timestamp: "2026-01-02T03:04:05.678Z",
    properties: {
      orderId: "order-1",
      total: 129.95,
      currency: "EUR",
      coupon: null,
      products: [
        { productId: "p-1", name: "Desk lamp", price: 49.95, quantity: 1 },
        { productId: "p-2", name: "Office chair", price: 80, quantity: 1 },
      ],
      sentAtMicros: 1_000_000_000_000_000,
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
