import { Route, Routes } from "react-router";
import { FindProfile } from "./find.tsx";
import { Profile } from "./profile.tsx";

export function ProfilePages() {
  return (
    <Routes>
      <Route index element={<FindProfile />} />
      <Route path=":id" element={<Profile />} />
    </Routes>
  );
}
