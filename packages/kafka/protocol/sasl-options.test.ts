import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { saslOptions } from "./sasl-options.ts";

const SASL = { mechanism: "scram-sha-512", username: "u", password: "first" } as const;

test("a login uses the password that its file has by then, or the one before", () => {
  const warnings: string[] = [];
  const passwordFile = join(scratchFolder(), "password");
  const options = saslOptions(
    { ...SASL, passwordFile },
    { warn: (_fields, message) => void warnings.push(message) },
  );
  expect(options).toMatchObject({ ...SASL });
  writeFileSync(passwordFile, "second\n");
  expect(options).toMatchObject({ ...SASL, password: "second" });
  // Who renews it may empty it first.
  writeFileSync(passwordFile, "\n");
  expect(options).toMatchObject({ ...SASL, password: "second" });
  const before = warnings.length;
  rmSync(passwordFile);
  expect(options).toMatchObject({ ...SASL, password: "second" });
  expect(warnings.length).toBeGreaterThan(before);
});
