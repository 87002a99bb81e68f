import { expect, test } from "@jest/globals";
import { webhookFields, webhookId } from "./webhook-fields.ts";

const URL = "https://hooks.example.com/services/T000/B000/XXXX";

test("a webhook's id is made of its destination and its URL, and is always the same", () => {
  // printf %s '["d1","<url>"]' | sha256sum | cut -c1-12
  expect(webhookId("d1", URL)).toBe("whk_35df97a3e624");
  const others = [webhookId("d2", URL), webhookId("d1", `${URL}x`), webhookId('d1","', URL)];
  expect(new Set([webhookId("d1", URL), ...others]).size).toBe(4);
});

test("what names a webhook has its id, and of its URL no token", () => {
  const fields = webhookFields("d1", URL);
  expect(fields).toEqual({
    webhookId: webhookId("d1", URL),
    url: expect.stringMatching(/^https:\/\/hooks\.example\.com\/services\/\*\*\*#/),
  });
  expect(JSON.stringify(fields)).not.toContain("XXXX");
});
