// /v1/audiences and /v1/computed-traits (contract 10.8).
import type { Static } from "typebox";
import type { ControlApp } from "../../http/server.ts";
import type { AudienceParts } from "./parts.ts";
import { addResourceRoutes, type ResourceShape } from "./resource-routes.ts";
import {
  AudiencesQuery,
  AudienceView,
  ComputedTraitsQuery,
  ComputedTraitView,
  CreateAudienceBody,
  CreateComputedTraitBody,
  DeleteAudienceQuery,
  NoQuery,
  PatchAudienceBody,
  PatchComputedTraitBody,
} from "./schemas.ts";
import { audienceView, computedTraitView } from "./views.ts";

const AUDIENCES: ResourceShape<Static<typeof AudienceView>> = {
  resource: "audience",
  path: "/v1/audiences",
  tag: "audiences",
  operations: {
    create: {
      operationId: "createAudience",
      summary: "Make an audience; every user in it is sent an identify call",
    },
    list: { operationId: "listAudiences", summary: "List the audiences, oldest first" },
    get: { operationId: "getAudience", summary: "One audience, and how far it is" },
    patch: { operationId: "patchAudience", summary: "Rename, redefine, pause or resume an audience" },
    remove: {
      operationId: "deleteAudience",
      summary: "Delete an audience that no other one names",
      description: "202 with exitAll: the members are sent false from now on.",
    },
  },
  createBody: CreateAudienceBody,
  patchBody: PatchAudienceBody,
  listQuery: AudiencesQuery,
  viewSchema: AudienceView,
  view: audienceView,
  removal: { query: DeleteAudienceQuery, exitAllCode: 202 },
};

const COMPUTED_TRAITS: ResourceShape<Static<typeof ComputedTraitView>> = {
  resource: "computed_trait",
  path: "/v1/computed-traits",
  tag: "computed traits",
  operations: {
    create: {
      operationId: "createComputedTrait",
      summary: "Make a computed trait; every user who has a value is sent an identify call",
    },
    list: { operationId: "listComputedTraits", summary: "List the computed traits, oldest first" },
    get: { operationId: "getComputedTrait", summary: "One computed trait, and how far it is" },
    patch: {
      operationId: "patchComputedTrait",
      summary: "Rename, redefine, pause or resume a computed trait",
    },
    remove: { operationId: "deleteComputedTrait", summary: "Delete a computed trait; nothing is sent" },
  },
  createBody: CreateComputedTraitBody,
  patchBody: PatchComputedTraitBody,
  listQuery: ComputedTraitsQuery,
  viewSchema: ComputedTraitView,
  view: computedTraitView,
  removal: { query: NoQuery },
};

export function addAudienceRoutes(app: ControlApp, parts: AudienceParts): void {
  addResourceRoutes(app, parts, AUDIENCES);
}

export function addComputedTraitRoutes(app: ControlApp, parts: AudienceParts): void {
  addResourceRoutes(app, parts, COMPUTED_TRAITS);
}
