import { IssueList } from "../issues/list.tsx";
import { useDestination } from "./queries.ts";

export function DestinationIssues() {
  return <IssueList destinationId={useDestination().id} />;
}
