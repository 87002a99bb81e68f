/**
 * The settings that browser and mobile SDKs ask for when they start; mobile ones send to the `apiHost` in it
 * (contract 7.1).
 */
export function settingsReply(writeKey: string, host: string): object {
  return {
    integrations: {
      "Segment.io": {
        apiKey: writeKey,
        apiHost: `${host}/v1`,
        unbundledIntegrations: [],
        addBundledMetadata: true,
        maybeBundledConfigIds: {},
        versionSettings: { version: "4.4.7", componentTypes: ["browser"] },
      },
    },
    plan: {
      track: { __default: { enabled: true, integrations: {} } },
      identify: { __default: { enabled: true } },
      group: { __default: { enabled: true } },
    },
    edgeFunction: {},
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  };
}

/** The longest name that DNS has, and a port. */
const MAX_HOST_CHARACTERS = 260;
const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** The host that callers reach us by: as configured, else as this request spelled it. */
export function publicHost(configured: string | undefined, hostHeader: string | undefined): string {
  if (configured !== undefined) return configured;
  const isHost =
    hostHeader !== undefined && hostHeader.length <= MAX_HOST_CHARACTERS && HOST.test(hostHeader);
  return isHost ? hostHeader : "localhost";
}
