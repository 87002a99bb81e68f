// A key that stands on a page for whoever looks over a shoulder: masked until somebody asks, and copied whole either way.
import { useState } from "react";
import { CopyButton } from "./copyable.tsx";
import { masked } from "./visible-text.ts";

interface ShowButtonProps {
  readonly what: string;
  readonly isShown: boolean;
  readonly show: (isShown: boolean) => void;
}

export function ShowButton({ isShown, show, what }: ShowButtonProps) {
  const label = isShown ? "Hide" : "Show";
  return (
    <button type="button" className="small" aria-label={`${label} ${what}`} onClick={() => show(!isShown)}>
      {label}
    </button>
  );
}

export function Masked({ text, what }: { readonly text: string; readonly what: string }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <span className="copyable">
      <code>{isShown ? text : masked(text)}</code>
      <ShowButton what={what} isShown={isShown} show={setIsShown} />
      <CopyButton text={text} what={what} />
    </span>
  );
}
