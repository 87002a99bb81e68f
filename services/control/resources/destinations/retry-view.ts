// The last retry request of a destination as the API shows it.
import { Type } from "typebox";
import { TimeField } from "../../http/fields.ts";
import { nullableInteger } from "../../http/nullable.ts";
import { isoTime } from "../../http/time-pages.ts";
import type { RetryState } from "./retry-requests.ts";

export const RetryView = Type.Object(
  {
    askedAt: TimeField,
    calls: nullableInteger(
      "Calls that were found waiting when it was asked for. Null where it took longer than four seconds to look at all that waits, and for a resume, whose calls are not counted: what it means is sent all the same.",
    ),
    woken: Type.Integer({ description: "Calls that were taken for it so far, whatever became of them." }),
    isDone: Type.Boolean({
      description:
        "Nothing that it means is left waiting, but for calls that keep their time because others failed again. False while the destination is paused, no endpoint of it is asked, or no deliverer runs.",
    }),
  },
  { title: "Retry", description: "What was asked for of waiting calls, and how far it is done." },
);

export function retryView(state: RetryState | undefined) {
  if (state === undefined) return null;
  const { isDone, request, woken } = state;
  return { askedAt: isoTime(request.askedAtMs), calls: request.found, woken, isDone };
}
