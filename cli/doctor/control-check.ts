import { apiTokenSettings, maskCredentials, readSettings, SettingsError } from "#runtime";
import { settings as schema } from "../config.ts";
import type { CommandContext } from "../context.ts";
import { type Finding, reasonOf } from "./check.ts";
import { checkClock } from "./machine-checks.ts";

const TIMEOUT_MS = 10_000;

/** The control API: whether it answers, takes the token, and has the same time. */
export async function checkControl({ environment }: CommandContext): Promise<readonly Finding[]> {
  try {
    const source = { processName: "hookline doctor", environment };
    const { control } = readSettings(schema, source);
    // The environment of control itself has no other token.
    const ofControl = () => readSettings({ api: apiTokenSettings }, source).api.tokens;
    return await ask(control.url, control.token ?? ofControl().find(({ text }) => text !== undefined)?.text);
  } catch (error) {
    // The check of settings has named what is wrong.
    if (error instanceof SettingsError) return [];
    const advice = "Is control running (`hookline control`)? HOOKLINE_CONTROL_URL says where it is asked.";
    return [{ check: "control API", state: "warning", found: reasonOf(error), advice }];
  }
}

async function ask(url: string, token: string | undefined): Promise<readonly Finding[]> {
  const { status, headers } = await fetch(`${url.replace(/\/$/, "")}/v1/sources?limit=1`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "manual",
  });
  const found = `${maskCredentials(url)} answers ${status}`;
  const clock = checkClock(headers.get("date"), "control");
  if (status === 200) return [{ check: "control API", state: "ok", found }, clock];
  const advice =
    status === 401
      ? "HOOKLINE_CONTROL_TOKEN must be one of the tokens in control's HOOKLINE_API_TOKENS."
      : "Look at the log of control, and at its /readyz.";
  return [{ check: "control API", state: "wrong", found, advice }, clock];
}
