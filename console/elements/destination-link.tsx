// A way to a destination, by its name where it is known.
import { Link } from "react-router";
import { Text } from "./text.tsx";

export function destinationPath(id: string): string {
  return `/destinations/${encodeURIComponent(id)}`;
}

interface DestinationLinkProps {
  /** null of what has no destination. */
  readonly id: string | null;
  readonly name?: string | null | undefined;
}

export function DestinationLink({ id, name }: DestinationLinkProps) {
  if (id === null) return <span className="quiet">–</span>;
  return (
    <Link to={destinationPath(id)}>
      <Text most={100}>{name ?? id}</Text>
    </Link>
  );
}
