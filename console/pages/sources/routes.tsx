import { Route, Routes } from "react-router";
import { AUDIENCES_SOURCE } from "../../elements/source-link.tsx";
import { SourceCalls } from "./calls.tsx";
import { Debugger } from "./debugger.tsx";
import { Keys } from "./keys.tsx";
import { SourceList } from "./list.tsx";
import { NewSource } from "./new-source.tsx";
import { RefusedCalls } from "./refused.tsx";
import { AudiencesSource, Source } from "./source.tsx";
import { SourceStatistics } from "./statistics.tsx";

export function SourcePages() {
  return (
    <Routes>
      <Route index element={<SourceList />} />
      <Route path="new" element={<NewSource />} />
      <Route path={AUDIENCES_SOURCE.id} element={<AudiencesSource />}>
        <Route index element={<SourceStatistics />} />
        <Route path="live" element={<Debugger />} />
        <Route path="calls" element={<SourceCalls />} />
      </Route>
      <Route path=":id" element={<Source />}>
        <Route index element={<Keys />} />
        <Route path="statistics" element={<SourceStatistics />} />
        <Route path="live" element={<Debugger />} />
        <Route path="calls" element={<SourceCalls />} />
        <Route path="refused" element={<RefusedCalls />} />
      </Route>
    </Routes>
  );
}
