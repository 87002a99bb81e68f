// Which methods a path has, for who asks with another one (RFC 9110, 15.5.6).
import type { FastifyInstance } from "fastify";

/** Of a path without its query: the methods of its routes, sorted; none where no route has the path. */
export type AllowedMethods = (path: string) => readonly string[];

/** Takes note of every route that is added from now on. */
export function watchMethods(app: Pick<FastifyInstance, "addHook">): AllowedMethods {
  const methods = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    methods.set(url, known);
    for (const each of [method].flat()) known.add(each);
  });
  return (path) => {
    const found = [...methods]
      .filter(([pattern]) => matches(pattern, path))
      .flatMap(([, known]) => [...known]);
    return [...new Set(found)].sort();
  };
}

/** `/v1/sources/:id` matches `/v1/sources/shop`. */
function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return false;
  return wanted.every((segment, index) =>
    segment.startsWith(":") ? given[index] !== "" : segment === given[index],
  );
}
