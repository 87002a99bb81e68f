import { Route, Routes } from "react-router";
import { Page } from "../../elements/page.tsx";
import { DeadLetter } from "./dead-letter.tsx";
import { DeadLetterList } from "./list.tsx";

export function DeadLetterPages() {
  return (
    <Routes>
      <Route
        index
        element={
          <Page title="Dead letters">
            <DeadLetterList />
          </Page>
        }
      />
      <Route path=":id" element={<DeadLetter />} />
    </Routes>
  );
}
