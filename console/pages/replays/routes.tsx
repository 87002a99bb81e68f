import { Route, Routes } from "react-router";
import { ReplayList } from "./list.tsx";
import { Replay } from "./replay.tsx";

export function ReplayPages() {
  return (
    <Routes>
      <Route index element={<ReplayList />} />
      <Route path=":id" element={<Replay />} />
    </Routes>
  );
}
