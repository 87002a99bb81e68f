// How the reader wants it shown. Kept by the browser; nothing of it says who the reader is.

export interface Preferences {
  readonly theme: "auto" | "light" | "dark";
  readonly times: "relative" | "local" | "utc";
}

const KEY = "hookline-console";
const UNCHANGED: Preferences = { theme: "auto", times: "relative" };
const listeners = new Set<() => void>();

function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { ...UNCHANGED, ...(typeof kept === "object" && kept) };
  } catch {
    // A browser may forbid storage, and anybody may have written there.
    return UNCHANGED;
  }
}

let current = read();

function apply(): void {
  const { theme } = current;
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
}
apply();

export const preferences = {
  get: (): Preferences => current,
  set(changes: Partial<Preferences>): void {
    current = { ...current, ...changes };
    apply();
    try {
      localStorage.setItem(KEY, JSON.stringify(current));
    } catch {
      // They count for this page.
    }
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
