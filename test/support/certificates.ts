// X.509 certificates for tests, written as DER with nothing but node:crypto: no openssl program is needed.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export interface CertificateOptions {
  readonly commonName: string;
  /** DNS names and IPv4 addresses the certificate is for. */
  readonly hosts?: readonly string[];
  /** Who signs it; absent, it signs itself. */
  readonly issuer?: Certificate;
  readonly isAuthority?: boolean;
  /** Default: from yesterday on. */
  readonly notBefore?: Date;
  /** Default: until tomorrow. */
  readonly notAfter?: Date;
}

/** Certificate and key as PEM, the way node:tls takes them. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly commonName: string;
}

const DAY_MS = 86_400_000;

// Tags of ASN.1 DER (ITU-T X.690).
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;
/** GeneralName choices of a subject alternative name. */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

// Object identifiers, already encoded.
const ECDSA_WITH_SHA256 = oid("2a8648ce3d040302");
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");
const BASIC_CONSTRAINTS = oid("551d13");

const TRUE = der(BOOLEAN, Buffer.from([0xff]));

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function oid(hex: string): Buffer {
  return der(OBJECT_ID, Buffer.from(hex, "hex"));
}

function name(commonName: string): Buffer {
  return der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(commonName)))));
}

/** YYYYMMDDHHMMSSZ */
function time(date: Date): Buffer {
  return der(GENERALIZED_TIME, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\..*/g, "")}Z`));
}

function hostName(host: string): Buffer {
  if (isIPv4(host)) return der(IP_ADDRESS, Buffer.from(host.split(".").map(Number)));
  return der(DNS_NAME, Buffer.from(host));
}

function extensions({ hosts = [], isAuthority = false }: CertificateOptions): Buffer {
  const all: Buffer[] = [];
  if (isAuthority) {
    all.push(der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE))));
  }
  if (hosts.length > 0) {
    all.push(der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, der(SEQUENCE, ...hosts.map(hostName)))));
  }
  return all.length === 0 ? Buffer.alloc(0) : der(EXPLICIT_3, der(SEQUENCE, ...all));
}

function toBeSigned(options: CertificateOptions, publicKey: KeyObject): Buffer {
  const { commonName, issuer, notBefore, notAfter } = options;
  const version3 = der(EXPLICIT_0, der(INTEGER, Buffer.from([2])));
  // A leading 0x01 keeps the number positive and without superfluous zeros.
  const serial = der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  return der(
    SEQUENCE,
    version3,
    serial,
    der(SEQUENCE, ECDSA_WITH_SHA256),
    name(issuer?.commonName ?? commonName),
    der(
      SEQUENCE,
      time(notBefore ?? new Date(Date.now() - DAY_MS)),
      time(notAfter ?? new Date(Date.now() + DAY_MS)),
    ),
    name(commonName),
    publicKey.export({ type: "spki", format: "der" }),
    extensions(options),
  );
}

/** Makes a key (P-256) and a certificate for it. */
export function createCertificate(options: CertificateOptions): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const content = toBeSigned(options, publicKey);
  const issuerKey = options.issuer === undefined ? privateKey : createPrivateKey(options.issuer.key);
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", content, issuerKey)]);
  const certificate = der(
    SEQUENCE,
    content,
    der(SEQUENCE, ECDSA_WITH_SHA256),
    der(BIT_STRING, signature),
  ).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g)?.join("\n") ?? ""}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    commonName: options.commonName,
  };
}
