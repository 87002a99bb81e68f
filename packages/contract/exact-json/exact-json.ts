// JSON.parse of V8 can read a key that is written with an escape as another key, once any object of the same shape had a
// key with a backslash (https://github.com/nodejs/node/issues/63785, open in Node 24 and 26): {"a":1,"\n":2} comes out with
// the key "\" after {"a":1,"\\":2}. One customer's call could so alter another's. Text with such keys is rare; they are
// written without escapes before it is parsed. Strings that are no keys are read rightly, escapes or not.
//
// Every character is looked at a bounded number of times: anybody may send half a megabyte of escapes.
import { hasEscapedKey, withoutEscapedKeys } from "./escaped-keys.ts";
import { restoreKeys } from "./stand-ins.ts";

/**
 * Parses as JSON.parse should: throws the same SyntaxErrors, apart from the positions in them. `text` was
 * decoded from UTF-8.
 */
export function parseExactJson(text: string): unknown {
  if (!hasEscapedKey(text)) return JSON.parse(text);
  return restoreKeys(JSON.parse(withoutEscapedKeys(text)));
}
