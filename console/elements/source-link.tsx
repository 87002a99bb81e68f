// A way to a source, and what it is called.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { answerOf, api } from "../api/client.ts";
import { Text } from "./text.tsx";

export const AUDIENCES_SOURCE = { id: "spa_default", name: "Audiences and computed traits" };

export const sourceQuery = (id: string) => ({
  queryKey: ["source", id],
  queryFn: () => answerOf(api.GET("/v1/sources/{id}", { params: { path: { id } } })),
  enabled: id !== AUDIENCES_SOURCE.id,
});

/** Its id, as long as the name is not known, and of a source that was deleted. */
export function SourceName({ id }: { readonly id: string }) {
  const { data } = useQuery(sourceQuery(id));
  const { name } = id === AUDIENCES_SOURCE.id ? AUDIENCES_SOURCE : (data ?? { name: id });
  return <Text most={60}>{name}</Text>;
}

/** Each name is a request: of many sources those after the first ones are told by their ids. */
const MOST_NAMED = 20;

/** Ids with their names, as far as these are known, to choose from. */
export function useSourceNames(ids: readonly string[]): readonly (readonly [id: string, name: string])[] {
  const named = useQueries({ queries: ids.slice(0, MOST_NAMED).map(sourceQuery) });
  return ids.map((id, place) => {
    if (id === AUDIENCES_SOURCE.id) return [id, AUDIENCES_SOURCE.name];
    return [id, named[place]?.data?.name ?? id];
  });
}

interface SourceLinkProps {
  readonly id: string;
  /** Without its name in lists of many sources: each name is a request. */
  readonly isNamed?: boolean;
}

export function sourcePath(id: string): string {
  return `/sources/${encodeURIComponent(id)}`;
}

export function SourceLink({ id, isNamed = true }: SourceLinkProps) {
  return <Link to={sourcePath(id)}>{isNamed ? <SourceName id={id} /> : <Text>{id}</Text>}</Link>;
}
