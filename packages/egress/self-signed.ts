import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * Answers, once the handshake has failed, whether the peer's certificate vouched for itself. OpenSSL reports only the
 * last thing wrong with a chain, so a self-signed certificate that is also expired would pass as merely expired, and be
 * retried for four hours (contract 2.7, 3.3). To be called while the socket connects: a failed one forgets its peer.
 */
export function watchForSelfSigned(socket: Socket): () => boolean {
  if (!(socket instanceof TLSSocket)) return () => false;
  let encoded: Buffer | undefined;
  // Ahead of node's own listener, which verifies. Not getPeerX509Certificate: on a client it takes the certificate out
  // of the chain (Node 24), and node's check of the host name that follows would find none.
  socket.prependOnceListener("secure", () => {
    encoded = socket.getPeerCertificate().raw;
  });
  return () => {
    if (encoded === undefined) return false;
    const certificate = new X509Certificate(encoded);
    return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
  };
}
