import { readFileSync } from "node:fs";
import tls from "node:tls";
import type { KafkaLogger, KafkaSettings } from "../types.ts";

type ClientCertificate = NonNullable<KafkaSettings["clientCertificate"]>;

/** Options of every new connection. Of files each shows the certificate that they have by then: who renews it restarts nothing. */
export function certificateOptions(
  { certificate, key, files }: ClientCertificate,
  logger: Pick<KafkaLogger, "warn">,
): { readonly secureContext: tls.SecureContext } {
  let last: tls.SecureContext | undefined;
  const readAgain = ({ certificate: cert, key: ofCert }: NonNullable<ClientCertificate["files"]>) =>
    tls.createSecureContext({ cert: readFileSync(cert), key: readFileSync(ofCert) });
  return {
    get secureContext() {
      try {
        if (files !== undefined) last = readAgain(files);
      } catch (error) {
        // One of the two may be renewed before the other. What fitted together before still does.
        logger.warn({ err: error }, "the client certificate cannot be read again; the former one is shown");
      }
      last ??= tls.createSecureContext({ cert: certificate, key });
      return last;
    },
  };
}
