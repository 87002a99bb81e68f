// What conditions came to, by the names that the form gives them.
import { Text } from "../text.tsx";

interface Condition {
  readonly path: string;
  readonly holds: boolean;
  readonly value?: unknown;
}

export function Why({ of: conditions }: { readonly of: readonly Condition[] }) {
  return conditions.map(({ holds, path, value }) => (
    <div key={path}>
      <code>{path}</code> {holds ? "holds" : "does not hold"}:{" "}
      <Text most={100}>{JSON.stringify(value) ?? null}</Text>
    </div>
  ));
}
