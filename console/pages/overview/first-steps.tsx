// What there is to do until the first call of an installation has arrived somewhere.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { State } from "../../elements/state.tsx";

function Step({ children, isDone }: { readonly children: ReactNode; readonly isDone: boolean }) {
  return (
    <li>
      {children} {isDone && <State of="done" />}
    </li>
  );
}

/** `sources`: those that somebody made. */
export function FirstSteps({ destinations, sources }: Pick<Schemas["Flow"], "destinations" | "sources">) {
  const [source] = sources;
  const path = source && `/sources/${encodeURIComponent(source.id)}`;
  const toDestination = source ? `?sourceId=${encodeURIComponent(source.id)}` : "";
  const hasCall = sources.some(({ dropped, routed }) => dropped + routed > 0);
  return (
    <section className="note" aria-labelledby="first-steps">
      <h3 id="first-steps">To begin with</h3>
      <ol className="steps">
        <Step isDone={source !== undefined}>
          <Link to="/sources/new">Make a source</Link>: a website, an app or a server that sends calls. It
          gets a write key, with which it sends them.
        </Step>
        <Step isDone={destinations.length > 0}>
          <Link to={`/destinations/new${toDestination}`}>Make a destination</Link>: the webhook that gets
          them. Calls that come before it is made are not sent to it.
        </Step>
        <Step isDone={hasCall}>
          {path === undefined ? "Send a call" : <Link to={path}>Send a call</Link>}: the page of the source
          has a program with its write key, in several languages.
        </Step>
        <Step isDone={false}>
          {path === undefined ? "Watch it come" : <Link to={`${path}/live`}>Watch it come</Link>}, and where
          it goes, on the page of the source too.
        </Step>
      </ol>
    </section>
  );
}
