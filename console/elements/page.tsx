// The head of a page: its title, which the tab has too, and the ways to its parts.
import { type ReactNode, useEffect } from "react";
import { NavLink } from "react-router";
import { visibleLine } from "./visible-text.ts";

interface PageProps {
  readonly title: string;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, beside, children }: PageProps) {
  const shown = visibleLine(title, 100);
  useEffect(() => {
    document.title = `${shown} · Hookline`;
  }, [shown]);
  return (
    <>
      <header className="head">
        <h1>
          <bdi>{shown}</bdi>
        </h1>
        {beside}
      </header>
      {children}
    </>
  );
}

/** Parts of a page, each with an address of its own. */
export function Parts({
  label,
  of: parts,
}: {
  readonly label: string;
  readonly of: Readonly<Record<string, string>>;
}) {
  return (
    <nav className="parts" aria-label={label}>
      {Object.entries(parts).map(([title, to]) => (
        <NavLink key={to} to={to} end>
          {title}
        </NavLink>
      ))}
    </nav>
  );
}
