import { Route, Routes } from "react-router";
import { Attempts } from "./attempts.tsx";
import { DestinationCalls } from "./calls.tsx";
import { DestinationDeadLetters } from "./dead-letters.tsx";
import { Destination } from "./destination.tsx";
import { Edit } from "./edit/form.tsx";
import { Rotation } from "./edit/rotation.tsx";
import { DestinationIssues } from "./issues.tsx";
import { DestinationList } from "./list.tsx";
import { NewDestination } from "./new-destination.tsx";
import { SendAgain } from "./send-again.tsx";
import { Settings } from "./settings.tsx";
import { Summary } from "./summary.tsx";
import { TestCall } from "./test-call.tsx";
import { Waiting } from "./waiting.tsx";

export function DestinationPages() {
  return (
    <Routes>
      <Route index element={<DestinationList />} />
      <Route path="new" element={<NewDestination />} />
      <Route path=":id" element={<Destination />}>
        <Route index element={<Summary />} />
        <Route path="issues" element={<DestinationIssues />} />
        <Route path="calls" element={<DestinationCalls />} />
        <Route path="attempts" element={<Attempts />} />
        <Route path="waiting" element={<Waiting />} />
        <Route path="dead-letters" element={<DestinationDeadLetters />} />
        <Route path="again" element={<SendAgain />} />
        <Route path="test" element={<TestCall />} />
        <Route path="settings" element={<Settings />} />
        <Route path="edit" element={<Edit />} />
        <Route path="secret" element={<Rotation />} />
      </Route>
    </Routes>
  );
}
