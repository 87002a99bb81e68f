// What came of a source in the last hour, in one line of the list of sources.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { queryOf, spanOf, sumOf } from "../../elements/steps.ts";
import { share } from "../../elements/times.ts";

const REFETCH_MS = 15_000;
const MINUTES = 60;

/** One request for both columns. */
function useLastHour(id: string) {
  return useQuery({
    queryKey: ["source-stats", id, "rates"],
    queryFn: () =>
      answerOf(
        api.GET("/v1/sources/{id}/stats", {
          params: { path: { id }, query: queryOf(spanOf("hour"), Date.now()) },
        }),
      ),
    refetchInterval: REFETCH_MS,
  });
}

const NOT_YET = <span className="quiet">…</span>;

export function Rate({ id }: { readonly id: string }) {
  const { data } = useLastHour(id);
  if (data === undefined) return NOT_YET;
  const { received } = data.total;
  const aMinute = received / MINUTES;
  return <>{aMinute.toLocaleString("en", { maximumFractionDigits: aMinute < 10 ? 1 : 0 })}</>;
}

export function RefusedShare({ id }: { readonly id: string }) {
  const { data } = useLastHour(id);
  if (data === undefined) return NOT_YET;
  const { received, refused } = data.total;
  const count = sumOf(refused);
  if (count === 0) return <span className="quiet">{received === 0 ? "no calls" : "none"}</span>;
  return <Link to={`${id}/refused`}>{share(count, received)}</Link>;
}
