import { type CallType, isCallType } from "#contract";
import { type ParsedBody, parseJson } from "../judging/parse-body.ts";

/** The smallest transparent GIF. */
export const PIXEL_GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** The call in a pixel's `data` (contract 7.1): base64, also the URL form of it, of a JSON object with its writeKey. */
export function readPixel(
  type: string,
  data: string,
): { readonly type: CallType; readonly bytes: Buffer; readonly body: ParsedBody } {
  // A "+" of base64 that was not percent-encoded arrives as a blank.
  const bytes = Buffer.from(data.replaceAll(" ", "+"), "base64");
  const body = parseJson(bytes);
  if (isCallType(type)) return { type, bytes, body };
  return {
    type: "track",
    bytes,
    body: {
      ok: false,
      rejection: { code: "invalid_type", message: "a pixel's path must end in a call type" },
    },
  };
}
