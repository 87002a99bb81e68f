import { Route, Routes } from "react-router";
import { Deletion } from "./deletion.tsx";
import { DeletionList } from "./list.tsx";

export function DeletionPages() {
  return (
    <Routes>
      <Route index element={<DeletionList />} />
      <Route path=":id" element={<Deletion />} />
    </Routes>
  );
}
