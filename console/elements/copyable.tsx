// An id with a button that copies it whole.
import { useState } from "react";
import { visibleLine } from "./visible-text.ts";

const SAID_MS = 2_000;

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    // Only on https and loopback is there a clipboard.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid(done === true ? "Copied" : "Select and copy it by hand");
    setTimeout(() => setSaid(""), SAID_MS);
  };
  return (
    <span className="copy">
      <button type="button" className="small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

export function Copyable({ text, what }: { readonly text: string | null; readonly what: string }) {
  if (text === null || text === "") return <span className="quiet">–</span>;
  return (
    <span className="copyable">
      <code>
        <bdi>{visibleLine(text, 100)}</bdi>
      </code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
