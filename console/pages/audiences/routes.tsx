import { Route, Routes } from "react-router";
import { Audience } from "./audience.tsx";
import { EditAudience } from "./edit/edit.tsx";
import { EditTrait } from "./edit/edit-trait.tsx";
import { NewAudience } from "./edit/new.tsx";
import { NewTrait } from "./edit/new-trait.tsx";
import { ImportMembers } from "./import/import.tsx";
import { AudienceList, TraitList } from "./list.tsx";
import { Trait } from "./trait.tsx";

export function AudiencePages() {
  return (
    <Routes>
      <Route index element={<AudienceList />} />
      <Route path="new" element={<NewAudience />} />
      <Route path=":id" element={<Audience />} />
      <Route path=":id/edit" element={<EditAudience />} />
      <Route path=":id/import" element={<ImportMembers />} />
    </Routes>
  );
}

export function TraitPages() {
  return (
    <Routes>
      <Route index element={<TraitList />} />
      <Route path="new" element={<NewTrait />} />
      <Route path=":id" element={<Trait />} />
      <Route path=":id/edit" element={<EditTrait />} />
    </Routes>
  );
}
