import { answerOf, api } from "../../api/client.ts";
import { CallStats } from "../../elements/call-stats.tsx";
import { sourcePath } from "../../elements/source-link.tsx";
import { useSourceId } from "./source.tsx";

function pathsOf(id: string) {
  const base = sourcePath(id);
  const listed = (path: string, name: string) => (value: string) =>
    `${path}${path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
  return {
    refused: listed(`${base}/refused`, "code"),
    passedOver: listed(`${base}/calls`, "passedOverReason"),
    dropped: listed(`${base}/calls`, "outcome"),
    died: listed(`/dead-letters?sourceId=${encodeURIComponent(id)}`, "reason"),
    event: listed(`${base}/calls`, "event"),
  };
}

export function SourceStatistics() {
  const id = useSourceId();
  return (
    <CallStats
      queryKey={["source-stats", id]}
      paths={pathsOf(id)}
      load={(query) => answerOf(api.GET("/v1/sources/{id}/stats", { params: { path: { id }, query } }))}
    />
  );
}
