// A way to a source, by its id; that of audiences and computed traits has no page of its own.
import { Link } from "react-router";
import { Text } from "./text.tsx";

export const AUDIENCES_SOURCE = { id: "spa_default", name: "Audiences and computed traits" };

export function SourceLink({ id }: { readonly id: string }) {
  if (id === AUDIENCES_SOURCE.id) return <Link to="/audiences">{AUDIENCES_SOURCE.name}</Link>;
  return (
    <Link to={`/sources/${encodeURIComponent(id)}`}>
      <Text>{id}</Text>
    </Link>
  );
}
