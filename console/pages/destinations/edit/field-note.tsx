// What stands below a field: what it takes, and what is wrong with it.
import type { FieldError } from "../../../api/problem.ts";
import { Text } from "../../../elements/text.tsx";

interface FieldNoteProps {
  readonly id: string;
  readonly hint: string | undefined;
  readonly problems: readonly FieldError[];
}

export function FieldNote({ hint, id, problems }: FieldNoteProps) {
  return (
    <div id={id}>
      {hint !== undefined && <span className="quiet">{hint}</span>}
      {problems.map(({ path, message }) => (
        <p className="bad" key={`${path} ${message}`}>
          <code>{path}</code> <Text most={500}>{message}</Text>
        </p>
      ))}
    </div>
  );
}
