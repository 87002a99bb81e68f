import { answerOf, api } from "../../api/client.ts";
import { CallStats } from "../../elements/call-stats.tsx";
import { useSource } from "./source.tsx";

export function SourceStatistics() {
  const { id } = useSource();
  return (
    <CallStats
      queryKey={["source-stats", id]}
      load={(query) => answerOf(api.GET("/v1/sources/{id}/stats", { params: { path: { id }, query } }))}
    />
  );
}
