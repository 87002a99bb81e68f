import { DeadLetterList } from "../dead-letters/list.tsx";
import { useDestination } from "./queries.ts";

export function DestinationDeadLetters() {
  return <DeadLetterList destinationId={useDestination().id} />;
}
