import { Route, Routes } from "react-router";
import { Call } from "./call.tsx";
import { FindCall } from "./find.tsx";

export function CallPages() {
  return (
    <Routes>
      <Route index element={<FindCall />} />
      <Route path=":messageId" element={<Call />} />
    </Routes>
  );
}
