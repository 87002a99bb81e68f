import type { Stack } from "#stack";
import { type Cut, startTcpProxy, type TcpProxy } from "#support/tcp-proxy";

/** A way of several connections that is cut and mended as one. */
interface Link {
  readonly cut: (how: Cut) => void;
  readonly mend: () => void;
}

export interface Network {
  /** Brokers to start from, for the clients of a detour. */
  readonly brokersOf: (detour: number) => string;
  readonly detour: (index: number) => Link;
  /** Where the registry is found. */
  readonly registryUrl: string;
  readonly registry: Link;
  readonly close: () => Promise<void>;
}

function linkOf(proxies: readonly TcpProxy[]): Link {
  return {
    cut: (how) => {
      for (const proxy of proxies) proxy.cut(how);
    },
    mend: () => {
      for (const proxy of proxies) proxy.mend();
    },
  };
}

/** Proxies of our own on every detour to Kafka, and before the registry. */
export async function startNetwork(stack: Stack): Promise<Network> {
  const detours = await Promise.all(
    stack.detours.map((legs) => Promise.all(legs.map(({ target, port }) => startTcpProxy(target, port)))),
  );
  const registryUrl = new URL(stack.registryUrl);
  const registry = await startTcpProxy(registryUrl.host);
  registryUrl.host = `127.0.0.1:${registry.port}`;
  return {
    brokersOf: (detour) => (detours[detour] ?? []).map(({ port }) => `127.0.0.1:${port}`).join(),
    detour: (index) => linkOf(detours[index] ?? []),
    registryUrl: registryUrl.href,
    registry: linkOf([registry]),
    close: async () => {
      await Promise.all([...detours.flat(), registry].map((proxy) => proxy.close()));
    },
  };
}
