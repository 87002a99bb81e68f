// POST and DELETE /v1/session, for browsers; GET /v1/me: as whom a caller is answered.
import { type Static, Type } from "typebox";
import { API_SCOPES } from "#runtime";
import type { Caller } from "../auth.ts";
import { NoContent, TimeField } from "../fields.ts";
import { ProblemError } from "../problem.ts";
import type { ControlApp } from "../server.ts";
import { endedCookies, sessionCookie } from "../session-cookie.ts";
import type { Session } from "../sessions.ts";
import { isoTime } from "../time-pages.ts";
import type { SessionParts } from "./parts.ts";

const SessionView = Type.Object(
  {
    endsAt: TimeField,
    csrfToken: Type.String({
      description: "Writes by the cookie need it in the header X-CSRF-Token.",
    }),
  },
  { title: "Session", description: "Of a browser that has signed in." },
);

const MeView = Type.Object(
  {
    name: Type.String({
      description: "The token's, as the audit log has it; local where none is configured.",
    }),
    scopes: Type.Array(Type.String({ enum: [...API_SCOPES] }), { description: "What the caller may do." }),
    signIn: Type.Unsafe<Caller["signIn"]["by"]>({
      type: "string",
      enum: ["none", "token", "session"],
      description:
        "By what the caller is known: none where no token is configured, so that the API answers this machine without one; token; or session, the cookie of POST /v1/session.",
    }),
    session: Type.Union([SessionView, Type.Null()], { description: "Null unless signIn is session." }),
  },
  {
    title: "Me",
    description: "As whom the caller is answered.",
    examples: [
      {
        name: "ops",
        scopes: ["read", "write"],
        signIn: "session",
        session: { endsAt: "2026-01-31T22:00:00.000Z", csrfToken: "Xq3…" },
      },
    ],
  },
);

/** It names a session, which no cache may keep. */
const NOT_STORED = { "cache-control": "no-store" };

export function addSessionRoutes(app: ControlApp, { sessions }: SessionParts): void {
  app.post(
    "/v1/session",
    {
      config: { scope: "any" },
      schema: {
        tags: ["access"],
        operationId: "beginSession",
        summary: "Signs a browser in: a cookie for the token that the request is sent with",
        description:
          "The cookie has the rights of the token, for 12 hours and as long as the token is there. 409 where no token is configured: no sign-in is needed.",
        response: { 201: MeView },
      },
    },
    async ({ caller, headers }, reply) => {
      const { name, signIn } = caller;
      if (signIn.by === "none")
        throw new ProblemError("conflict", "no token is configured: this machine needs no sign-in");
      // Else a copied cookie would last for ever.
      if (signIn.by === "session")
        throw new ProblemError(
          "forbidden",
          "a session begins with a token: send Authorization: Bearer <token>",
        );
      const { session, text } = sessions.begin({ name, digest: signIn.digest });
      reply.code(201).headers(NOT_STORED).header("set-cookie", sessionCookie(text, headers));
      return viewOf({ ...caller, signIn: { ...signIn, by: "session", session } }, sessions);
    },
  );
  app.delete(
    "/v1/session",
    {
      config: { scope: "any" },
      schema: {
        tags: ["access"],
        operationId: "endSession",
        summary: "Signs a browser out: its cookie is taken back",
        description:
          "Nothing is kept of sessions, so a copy of the cookie that somebody made before is good until its 12 hours are over or its token is gone.",
        security: [{ session: [] }, { bearer: [] }],
        response: { 204: NoContent },
      },
    },
    async (_request, reply) => {
      reply.code(204).header("set-cookie", endedCookies());
      return null;
    },
  );
  app.get(
    "/v1/me",
    {
      config: { scope: "any" },
      schema: {
        tags: ["access"],
        operationId: "getMe",
        summary: "Name and scopes of the caller, and whether a sign-in is needed",
        response: { 200: MeView },
      },
    },
    async ({ caller }, reply) => {
      reply.headers(NOT_STORED);
      return viewOf(caller, sessions);
    },
  );
}

function viewOf({ name, scopes, signIn }: Caller, sessions: SessionParts["sessions"]): Static<typeof MeView> {
  const session = signIn.by === "session" ? sessionView(signIn.session, sessions) : null;
  return { name, scopes: [...scopes], signIn: signIn.by, session };
}

function sessionView(session: Session, sessions: SessionParts["sessions"]): Static<typeof SessionView> {
  return { endsAt: isoTime(session.endsAtMs), csrfToken: sessions.csrfToken(session) };
}
