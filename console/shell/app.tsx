// The console: which page a path shows. The pages of a section are loaded when it is opened.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Activity, type ComponentType, lazy, Suspense, useState, useSyncExternalStore } from "react";
import { BrowserRouter, Route, Routes, useLocation } from "react-router";
import { ApiProblem } from "../api/problem.ts";
import { session } from "../api/session.ts";
import { Empty, Loading } from "../elements/answer.tsx";
import { Page } from "../elements/page.tsx";
import { Boundary, NotLoaded } from "./boundary.tsx";
import { Frame } from "./frame.tsx";
import { SignIn } from "./sign-in.tsx";

/** The pages of a section, which are loaded when it is first opened. */
function section<N extends string>(load: () => Promise<Readonly<Record<N, ComponentType>>>, name: N) {
  return lazy(async () => {
    const pages = await load().catch(() => {
      throw new NotLoaded();
    });
    return { default: pages[name] };
  });
}

const Overview = section(() => import("../pages/overview/overview.tsx"), "Overview");
const Destinations = section(() => import("../pages/destinations/routes.tsx"), "DestinationPages");
const Sources = section(() => import("../pages/sources/routes.tsx"), "SourcePages");
const Calls = section(() => import("../pages/calls/routes.tsx"), "CallPages");
const DeadLetters = section(() => import("../pages/dead-letters/routes.tsx"), "DeadLetterPages");
const Issues = section(() => import("../pages/issues/routes.tsx"), "IssuePages");
const Replays = section(() => import("../pages/replays/routes.tsx"), "ReplayPages");
const Audiences = section(() => import("../pages/audiences/routes.tsx"), "AudiencePages");
const Traits = section(() => import("../pages/audiences/routes.tsx"), "TraitPages");
const Profiles = section(() => import("../pages/profiles/routes.tsx"), "ProfilePages");
const Deletions = section(() => import("../pages/deletions/routes.tsx"), "DeletionPages");
const Audit = section(() => import("../pages/audit/audit.tsx"), "Audit");
const Settings = section(() => import("../pages/settings/settings.tsx"), "Settings");

const RETRIES = 2;
/** A session that ended on a Friday goes on after the weekend: a page whose answers are gone has lost what was typed. */
const KEPT_MS = 4 * 86_400_000;
const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** What is asked without a network fails, as what control does not answer: held back it would be done later, unseen. */
const ALWAYS = { networkMode: "always" } as const;

function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: ALWAYS,
      queries: {
        ...ALWAYS,
        refetchOnReconnect: true,
        staleTime: 2_000,
        gcTime: KEPT_MS,
        // A refusal stays one, however often it is asked for.
        retry: (count, error) =>
          count < RETRIES &&
          !(error instanceof ApiProblem && error.status >= CLIENT_ERROR && error.status < SERVER_ERROR),
      },
    },
  });
}

function Unknown() {
  return (
    <Page title="No such page">
      <Empty title="There is no page at this address">Choose one from the navigation.</Empty>
    </Page>
  );
}

/** What control has answered is kept beside the pages of its owner, and goes with them. */
function Content() {
  const [queries] = useState(newQueries);
  const { pathname } = useLocation();
  return (
    <QueryClientProvider client={queries}>
      <Frame>
        <Boundary of={pathname.split("/")[1] ?? ""}>
          <Suspense fallback={<Loading />}>
            <Routes>
              <Route index element={<Overview />} />
              <Route path="destinations/*" element={<Destinations />} />
              <Route path="sources/*" element={<Sources />} />
              <Route path="calls/*" element={<Calls />} />
              <Route path="issues/*" element={<Issues />} />
              <Route path="dead-letters/*" element={<DeadLetters />} />
              <Route path="replays/*" element={<Replays />} />
              <Route path="audiences/*" element={<Audiences />} />
              <Route path="traits/*" element={<Traits />} />
              <Route path="profiles/*" element={<Profiles />} />
              <Route path="deletions/*" element={<Deletions />} />
              <Route path="audit" element={<Audit />} />
              <Route path="settings" element={<Settings />} />
              <Route path="*" element={<Unknown />} />
            </Routes>
          </Suspense>
        </Boundary>
      </Frame>
    </QueryClientProvider>
  );
}

export function App() {
  const needsSignIn = useSyncExternalStore(session.subscribe, session.needsSignIn);
  const owner = useSyncExternalStore(session.subscribe, session.owner);
  const pages = useSyncExternalStore(session.subscribe, session.pages);
  return (
    <BrowserRouter basename="/console">
      {needsSignIn && <SignIn />}
      {/* A page whose session has ended asks for nothing and keeps what was typed, for its owner alone. */}
      {(!needsSignIn || owner !== undefined) && (
        <Activity key={pages} mode={needsSignIn ? "hidden" : "visible"}>
          <Content />
        </Activity>
      )}
    </BrowserRouter>
  );
}
