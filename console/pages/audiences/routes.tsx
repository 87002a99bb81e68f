import { Route, Routes } from "react-router";
import { Audience } from "./audience.tsx";
import { AudienceList, TraitList } from "./list.tsx";
import { Trait } from "./trait.tsx";

export function AudiencePages() {
  return (
    <Routes>
      <Route index element={<AudienceList />} />
      <Route path=":id" element={<Audience />} />
    </Routes>
  );
}

export function TraitPages() {
  return (
    <Routes>
      <Route index element={<TraitList />} />
      <Route path=":id" element={<Trait />} />
    </Routes>
  );
}
