// Leads to one call by its message id.
import { useId } from "react";
import { useNavigate } from "react-router";
import { Empty } from "../../elements/answer.tsx";
import { submitting } from "../../elements/fields.tsx";
import { Page } from "../../elements/page.tsx";
import { callPath } from "./call-link.tsx";

export function FindCall() {
  const ids = { message: useId(), user: useId() };
  const navigate = useNavigate();
  const open = (form: HTMLFormElement): void => {
    const given = new FormData(form);
    const messageId = String(given.get("messageId")).trim();
    const userId = String(given.get("userId")).trim();
    if (messageId !== "") void navigate(callPath({ messageId, userId }));
  };
  return (
    <Page title="Calls">
      <form className="filters" onSubmit={submitting(open)}>
        <div className="filter">
          <label htmlFor={ids.message}>Message id</label>
          <input id={ids.message} name="messageId" required />
        </div>
        <div className="filter">
          <label htmlFor={ids.user}>User id, if several users share it</label>
          <input id={ids.user} name="userId" />
        </div>
        <button type="submit" className="main">
          Show what became of it
        </button>
      </form>
      <Empty title="Where a message id is found">
        In the log of the SDK that sent the call, in the live calls of its source, or in the attempts of a
        destination.
      </Empty>
    </Page>
  );
}
