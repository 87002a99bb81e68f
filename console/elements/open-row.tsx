// The row of a table that is open, with more of it below.
import { type ReactNode, useState } from "react";

export function useOpenRow() {
  const [open, setOpen] = useState<string>();
  return {
    isOpen: (key: string): boolean => key === open,
    /** What opens the row of this key, or closes it again. */
    opener(key: string, shown: ReactNode) {
      const isOpen = key === open;
      return (
        <button
          type="button"
          className="plain"
          aria-expanded={isOpen}
          onClick={() => setOpen(isOpen ? undefined : key)}
        >
          {shown}
        </button>
      );
    },
  };
}
