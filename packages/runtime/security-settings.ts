// Keys.
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { listOf } from "./value-types.ts";

const KEY_BYTES = 32;
/** The command that makes a key, with an id that the next one does not have. Every system with OpenSSL has it. */
const MAKE_KEY = `echo "k$(openssl rand -hex 4):$(openssl rand -base64 ${KEY_BYTES})"`;
const encryptionKey = {
  name: "id:key, the key 32 bytes in base64",
  parse(given: string) {
    const [, id, base64] = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/_-]+={0,2})$/.exec(given) ?? [];
    const key = Buffer.from(base64 ?? "", "base64");
    if (id === undefined || key.length !== KEY_BYTES)
      return { ok: false as const, problem: `is not id:base64 of ${KEY_BYTES} bytes; make one: ${MAKE_KEY}` };
    return { ok: true as const, value: { id, key } };
  },
};

/** Contract 6.3; comes out as `createSecretBox` takes it. */
export const encryptionSettings = settingsGroup({
  title: "Secrets at rest",
  settings: {
    keys: setting({
      env: "HOOKLINE_ENCRYPTION_KEYS",
      type: listOf(encryptionKey),
      required: true,
      secret: true,
      doc: `Keys for shared secrets and header values: the first encrypts, all of them decrypt. Make one: \`${MAKE_KEY}\`.`,
    }),
  },
  check({ keys }) {
    const ids = new Set(keys.map(({ id }) => id));
    if (keys.length === 0)
      return [{ env: "HOOKLINE_ENCRYPTION_KEYS", problem: `names no key; make one: ${MAKE_KEY}` }];
    return ids.size === keys.length
      ? []
      : [{ env: "HOOKLINE_ENCRYPTION_KEYS", problem: "has the same id twice" }];
  },
});
