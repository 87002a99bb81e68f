// One source: its head and the ways to its parts.
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useOutletContext, useParams } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { Page, Parts } from "../../elements/page.tsx";
import { AUDIENCES_SOURCE, sourcePath, sourceQuery } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";

const ROTATING_MS = 10_000;

/** That of the page which is open, where somebody has made it. */
export const useSource = (): Schemas["Source"] => useOutletContext<Schemas["Source"]>();
export const useSourceId = (): string => useOutletContext<Pick<Schemas["Source"], "id">>().id;

/** It has no keys, no options and no refused calls. */
export function AudiencesSource() {
  const { id, name } = AUDIENCES_SOURCE;
  const base = sourcePath(id);
  return (
    <Page title={name} beside={<Link to={`/destinations?sourceId=${id}`}>Its destinations</Link>}>
      <p>
        What <Link to="/audiences">audiences</Link> and <Link to="/traits">computed traits</Link> send.
      </p>
      <Parts
        label="Of this source"
        of={{ Statistics: base, "Live calls": `${base}/live`, Calls: `${base}/calls` }}
      />
      <Outlet context={AUDIENCES_SOURCE} />
    </Page>
  );
}

export function Source() {
  const { id = "" } = useParams();
  const base = sourcePath(id);
  const query = useQuery({
    ...sourceQuery(id),
    // While keys are rotated the page shows whether the former ones still come.
    refetchInterval: ({ state }) => ((state.data?.formerKeys.length ?? 0) > 0 ? ROTATING_MS : false),
  });
  return (
    <Answer title="Source" query={query}>
      {(source) => (
        <Page
          title={source.name}
          beside={
            <>
              <State of={source.enabled ? "on" : "off"} />
              <Copyable text={id} what="id of the source" />
              <Link to={`/destinations?sourceId=${encodeURIComponent(id)}`}>Its destinations</Link>
            </>
          }
        >
          <Parts
            label="Of this source"
            of={{
              "Write keys": base,
              "Live calls": `${base}/live`,
              Calls: `${base}/calls`,
              "Refused calls": `${base}/refused`,
              Statistics: `${base}/statistics`,
            }}
          />
          <Outlet context={source} />
        </Page>
      )}
    </Answer>
  );
}
