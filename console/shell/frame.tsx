// What every page has around it: the navigation, how times and colours are shown, the way out.
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { NavLink, useLocation } from "react-router";
import { session } from "../api/session.ts";
import { type Preferences, preferences } from "../elements/preferences.ts";

const SECTIONS: readonly (readonly [title: string, to: string])[] = [
  ["Overview", "/"],
  ["Sources", "/sources"],
  ["Destinations", "/destinations"],
  ["Calls", "/calls"],
  ["Issues", "/issues"],
  ["Dead letters", "/dead-letters"],
  ["Replays", "/replays"],
  ["Audiences", "/audiences"],
  ["Traits", "/traits"],
  ["Users", "/profiles"],
  ["Deletions", "/deletions"],
  ["Audit", "/audit"],
  ["Settings", "/settings"],
];

interface PreferenceProps<N extends keyof Preferences> {
  readonly name: N;
  readonly label: string;
  readonly choices: readonly Preferences[N][];
}

function Preference<N extends keyof Preferences>({ name, label, choices }: PreferenceProps<N>) {
  const current = useSyncExternalStore(preferences.subscribe, preferences.get);
  return (
    <label className="preference">
      {label}
      <select
        value={current[name]}
        onChange={({ target }) => {
          const chosen = choices.find((choice) => choice === target.value);
          if (chosen !== undefined) preferences.set({ [name]: chosen });
        }}
      >
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    </label>
  );
}

/** Who reads the page aloud is taken to the new one, as a click on a link would. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    main.current?.focus();
    scrollTo(0, 0);
  }, [pathname]);
  return main;
}

function SignOut() {
  const isSignedIn = useSyncExternalStore(session.subscribe, session.isSignedIn);
  const [error, setError] = useState<Error | null>(null);
  if (!isSignedIn) return null;
  return (
    <>
      <button type="button" onClick={() => void session.signOut().catch(setError)}>
        Sign out
      </button>
      {error !== null && <p role="alert">You are still signed in: {error.message}</p>}
    </>
  );
}

export function Frame({ children }: { readonly children: ReactNode }) {
  const main = useFocusOnNavigation();
  return (
    <div className="frame">
      <a className="skip" href="#content">
        To the content
      </a>
      <aside>
        <p className="brand">Hookline</p>
        <nav aria-label="Sections">
          {SECTIONS.map(([title, to]) => (
            <NavLink key={to} to={to} end={to === "/"}>
              {title}
            </NavLink>
          ))}
        </nav>
        <div className="preferences">
          <Preference name="times" label="Times" choices={["relative", "local", "utc"]} />
          <Preference name="theme" label="Colours" choices={["auto", "light", "dark"]} />
          <SignOut />
        </div>
      </aside>
      <main id="content" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  );
}
