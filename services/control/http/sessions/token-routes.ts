// GET /v1/tokens: who may use the API.
import { Type } from "typebox";
import { API_SCOPES } from "#runtime";
import type { ControlApp } from "../server.ts";
import type { TokenParts } from "./parts.ts";

const TokenView = Type.Object(
  {
    name: Type.String({ description: "As the audit log has it." }),
    scopes: Type.Array(Type.String({ enum: [...API_SCOPES] }), { description: "What its holder may do." }),
  },
  { title: "Token", description: "A token of HOOKLINE_API_TOKENS, without the token itself." },
);

export function addTokenRoute(app: ControlApp, { tokens }: TokenParts): void {
  app.get(
    "/v1/tokens",
    {
      // Who may change what is for those who change something.
      config: { scope: "write" },
      schema: {
        tags: ["access"],
        operationId: "listTokens",
        summary: "Names and scopes of the tokens; the tokens themselves are not shown",
        description:
          "As this process has them now, all of them; none where none is configured: then the API answers its machine alone. Needs the scope write.",
        response: {
          200: Type.Object(
            { data: Type.Array(TokenView) },
            { title: "TokenList", description: "All tokens of now." },
          ),
        },
      },
    },
    () => ({ data: tokens.list().map(({ name, scopes }) => ({ name, scopes: [...scopes] })) }),
  );
}
