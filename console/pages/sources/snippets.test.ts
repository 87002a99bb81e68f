import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { snippetsOf } from "./snippets.ts";

test("each program names the key and the address, and neither can end its text", () => {
  const writeKey = `k'"\\$(touch x)`;
  const snippets = snippetsOf({ ingest: "http://127.0.0.1:8080", writeKey });
  expect(Object.keys(snippets)).toHaveLength(5);
  const { curl = "", ...others } = snippets;
  for (const text of Object.values(others)) expect(text).toContain(JSON.stringify(writeKey));
  const said = execFileSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }; ${curl}`], { encoding: "utf8" });
  expect(said.split("\n").slice(0, 3)).toEqual(["http://127.0.0.1:8080/v1/track", "-u", `${writeKey}:`]);
});
