// Leads to one user or account by an id.
import { useId } from "react";
import { useNavigate } from "react-router";
import { Empty } from "../../elements/answer.tsx";
import { submitting } from "../../elements/fields.tsx";
import { Page } from "../../elements/page.tsx";
import { profilePath } from "../../elements/user-path.ts";

export function FindProfile() {
  const ids = { kind: useId(), value: useId() };
  const navigate = useNavigate();
  const open = (form: HTMLFormElement): void => {
    const given = new FormData(form);
    const value = String(given.get("value"));
    if (value === "") return;
    const ids = { userId: null, anonymousId: null, groupId: null };
    void navigate(profilePath({ ...ids, [String(given.get("kind"))]: value }));
  };
  return (
    <Page title="Users">
      <form className="filters" onSubmit={submitting(open)}>
        <div className="filter">
          <label htmlFor={ids.kind}>Known by</label>
          <select id={ids.kind} name="kind">
            <option value="userId">user id</option>
            <option value="anonymousId">anonymous id</option>
            <option value="groupId">group id of an account</option>
          </select>
        </div>
        <div className="filter">
          <label htmlFor={ids.value}>Id</label>
          <input id={ids.value} name="value" required />
        </div>
        <button type="submit" className="main">
          Show who this is
        </button>
      </form>
      <Empty title="Where an id is found">
        In the members of an audience, the values of a trait, a call, or the attempts of a destination.
      </Empty>
    </Page>
  );
}
