import { Route, Routes } from "react-router";
import { DeadLetterList } from "../dead-letters/list.tsx";
import { IssueList } from "../issues/list.tsx";
import { Attempts } from "./attempts.tsx";
import { DestinationCalls } from "./calls.tsx";
import { Destination } from "./destination.tsx";
import { Edit } from "./edit/form.tsx";
import { Rotation } from "./edit/rotation.tsx";
import { DestinationList } from "./list.tsx";
import { NewDestination } from "./new-destination.tsx";
import { useDestination } from "./queries.ts";
import { SendAgain } from "./send-again.tsx";
import { Settings } from "./settings.tsx";
import { Summary } from "./summary.tsx";
import { TestCall } from "./test-call.tsx";
import { Waiting } from "./waiting.tsx";

const Issues = () => <IssueList destinationId={useDestination().id} />;
const DeadLetters = () => <DeadLetterList destinationId={useDestination().id} />;

export function DestinationPages() {
  return (
    <Routes>
      <Route index element={<DestinationList />} />
      <Route path="new" element={<NewDestination />} />
      <Route path=":id" element={<Destination />}>
        <Route index element={<Summary />} />
        <Route path="issues" element={<Issues />} />
        <Route path="calls" element={<DestinationCalls />} />
        <Route path="attempts" element={<Attempts />} />
        <Route path="waiting" element={<Waiting />} />
        <Route path="dead-letters" element={<DeadLetters />} />
        <Route path="again" element={<SendAgain />} />
        <Route path="test" element={<TestCall />} />
        <Route path="settings" element={<Settings />} />
        <Route path="edit" element={<Edit />} />
        <Route path="secret" element={<Rotation />} />
      </Route>
    </Routes>
  );
}
