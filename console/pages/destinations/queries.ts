// What pages ask about one destination.
import { useQuery } from "@tanstack/react-query";
import { useOutletContext } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import type { GroupBy } from "../../elements/groups.ts";
import { queryOf, type Span, spanOf } from "../../elements/steps.ts";

const MINUTE_MS = 60_000;
const REFETCH_MS = 5_000;

export type Destination = Schemas["Destination"];
export type Stats = Schemas["GetStatsAnswer"];

/** That of the page which is open. */
export const useDestination = (): Destination => useOutletContext<Destination>();

export function useDestinationQuery(id: string) {
  return useQuery({
    queryKey: ["destination", id],
    queryFn: () => answerOf(api.GET("/v1/destinations/{id}", { params: { path: { id } } })),
    refetchInterval: REFETCH_MS,
  });
}

type StatsQuery = ReturnType<typeof queryOf> & { readonly groupBy?: GroupBy };

export function loadStats(id: string, query: StatsQuery): Promise<Stats> {
  return answerOf(api.GET("/v1/destinations/{id}/stats", { params: { path: { id }, query } }));
}

/** The last hour unless another span is asked for. */
export function useStats(id: string, span: Span = spanOf(undefined)) {
  return useQuery({
    queryKey: ["stats", id, span.name, span.step],
    queryFn: () => loadStats(id, queryOf(span, Date.now())),
    refetchInterval: MINUTE_MS / 4,
  });
}

/** Null where it is not known now. */
export async function waitingSummary(id: string) {
  const request = api.GET("/v1/destinations/{id}/waiting", {
    params: { path: { id }, query: { limit: 1 } },
  });
  return (await answerOf(request)).summary;
}

export function useWaitingSummary(id: string, refetchMs: number) {
  return useQuery({
    queryKey: ["waiting-summary", id],
    queryFn: () => waitingSummary(id),
    refetchInterval: refetchMs,
    staleTime: refetchMs,
  });
}
