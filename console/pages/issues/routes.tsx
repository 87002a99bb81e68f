import { Route, Routes } from "react-router";
import { Page } from "../../elements/page.tsx";
import { IssuePage } from "./issue.tsx";
import { IssueList } from "./list.tsx";

export function IssuePages() {
  return (
    <Routes>
      <Route
        index
        element={
          <Page title="Issues">
            <IssueList />
          </Page>
        }
      />
      <Route path=":id" element={<IssuePage />} />
    </Routes>
  );
}
