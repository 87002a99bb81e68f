// Where the calls of a source go.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { State, stateOfDestination } from "../../elements/state.tsx";

const MOST_SHOWN = 10;

export function destinationsOf(sourceId: string) {
  return answerOf(api.GET("/v1/destinations", { params: { query: { sourceId, limit: MOST_SHOWN } } }));
}

export function ItsDestinations({ id }: { readonly id: string }) {
  const query = useQuery({ queryKey: ["destinations-of", id], queryFn: () => destinationsOf(id) });
  const ofIt = `?sourceId=${encodeURIComponent(id)}`;
  return (
    <section aria-label="Where its calls go">
      <h2>Where its calls go</h2>
      <Answer query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 && <p>Nowhere yet: its calls are accepted, and sent to nobody.</p>}
            <ul>
              {data.map((one) => (
                <li key={one.id}>
                  <DestinationLink {...one} /> <State of={stateOfDestination(one)} />
                </li>
              ))}
            </ul>
            <p>
              {next !== null && (
                <>
                  <Link to={`/destinations${ofIt}`}>All of them</Link>,{" "}
                </>
              )}
              <Link to={`/destinations/new${ofIt}`}>Make a destination for them</Link>
            </p>
          </>
        )}
      </Answer>
    </section>
  );
}
