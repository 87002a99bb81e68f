// What a token must be allowed to do for what stands here; where it is not, that is said instead.
import { type ReactNode, useSyncExternalStore } from "react";
import { session } from "../api/session.ts";

interface WithScopeProps {
  readonly scope: "read" | "write" | "replay";
  /** What it is for: "To begin a deletion". */
  readonly to: string;
  readonly children: ReactNode;
}

/** Control decides in the end; a token whose scopes are not known yet may try. */
export function WithScope({ children, scope, to }: WithScopeProps) {
  const scopes = useSyncExternalStore(session.subscribe, session.scopes);
  if (scopes === undefined || scopes.includes(scope)) return children;
  return (
    <div className="note" role="status">
      <strong>Your token does not allow this</strong>
      <p>
        {to} a token needs the scope <code>{scope}</code>; yours has{" "}
        {scopes.length === 0 ? "none" : scopes.join(", ")}.
      </p>
    </div>
  );
}
