import { expect, test } from "@jest/globals";
import { keyProblem, snakeCase } from "./snake-case.ts";

test.each([
  ["Order Completed Last 30days", "order_completed_last_30days"],
  ["VIPCustomers", "vipcustomers"],
  ["John's list", "john_s_list"],
])("contract 8.4: %j is %j", (name, key) => {
  expect(snakeCase(name)).toBe(key);
});

test.each([
  ["orders", "orders"],
  ["Orders", "orders"],
  ["ORDERS", "orders"],
  ["big spenders", "big_spenders"],
  ["Big  Spenders", "big_spenders"],
  ["  Big Spenders  ", "big_spenders"],
  ["bigSpenders", "big_spenders"],
  ["BigSpenders", "big_spenders"],
  ["BIGSpenders", "bigspenders"],
  ["big-spenders", "big_spenders"],
  ["big_spenders", "big_spenders"],
  ["__big__spenders__", "big_spenders"],
  ["big.spenders/2024", "big_spenders_2024"],
  ["30 days", "30_days"],
  ["30days", "30days"],
  ["30Days", "30days"],
  ["30DAYSActive", "30daysactive"],
  ["last7days", "last7days"],
  ["Last7Days", "last7_days"],
  ["iPhone 15 Pro", "i_phone_15_pro"],
  ["iOS16Users", "i_os16users"],
  ["A", "a"],
  ["AB", "ab"],
  ["aB", "a_b"],
  ["ABc", "abc"],
  ["A1b2C3", "a1b2_c3"],
  ["LTV > $1,000", "ltv_1_000"],
  ["50% off", "50_off"],
  ["Größe XL", "grosse_xl"],
  ["Café crème", "cafe_creme"],
  ["ÉCOLE", "ecole"],
  ["Ångström", "angstrom"],
  ["Łódź", "lodz"],
  ["Þór Æsir", "thor_aesir"],
  ["naïve façade", "naive_facade"],
  ["São Paulo – Março", "sao_paulo_marco"],
  ["İstanbul ışık", "istanbul_isik"],
  ["Cafe\u0301", "cafe"],
  ["Win 🎉 back", "win_back"],
  ["tab\tand\nline", "tab_and_line"],
  ["Клиенты 2024", "2024"],
  ["rock'n'roll", "rock_n_roll"],
])("contract 8.4: %j becomes %j", (name, key) => {
  expect(snakeCase(name)).toBe(key);
});

test.each(["", "   ", "Клиенты", "顧客", "🎉", "---", "_"])("contract 8.4: nothing is left of %j", (name) => {
  expect(snakeCase(name)).toBe("");
});

test.each(["vip", "30_days", "a", "x".repeat(100)])("a caller may choose the key %j", (key) => {
  expect(keyProblem(key)).toBeUndefined();
});

test.each(["", "_a", "__proto__", "Vip", "a-b", "a b", "é", 5, null, "x".repeat(101)])(
  "a caller may not choose the key %j",
  (key) => {
    expect(keyProblem(key)).toContain("small letters, digits and _");
  },
);
