import { hash } from "node:crypto";

/** RFC 9562, 5.5: of the SHA-1 of namespace and name; the same ones give the same id. */
export function uuidV5(namespace: Buffer, name: string): string {
  const bytes = hash("sha1", Buffer.concat([namespace, Buffer.from(name)]), "buffer").subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
