// The identify, of an account the group call, by which a destination learns of a membership or a computed trait (contract 8.1, 8.2, 8.5, 8.9), and the
// track call beside it (8.7).
import {
  type AcceptedCall,
  acceptCall,
  parseExactJson,
  SPACE_SOURCE,
  uuidV5,
  WEBHOOKS_INTEGRATION,
} from "#contract";
import type { Computation } from "../profile/computation.ts";
import { ownerOf, traitsTypeOf } from "../profile/identity.ts";
import type { Flip, Profile } from "../profile/profile.ts";

/** Of the space whose audiences these are, the only one that there is. */
const SPACE_NAMESPACE = "default";

/** Of this product's identifies: a uuid v5 of its own, so that no other name gives the same ids. */
const NAMESPACE = Buffer.from("6f8d1c1e4f0b5a6c9d3e2b7a18c45f90", "hex");

/** What a message id is made of beside the flip. */
interface IdContext {
  readonly profile: Pick<Profile, "id" | "incarnation">;
  readonly computation: Pick<Computation, "id">;
}

export interface FlipContext extends IdContext {
  readonly computation: Pick<Computation, "id" | "key"> & {
    /** For people. */
    readonly name: string;
    readonly definition: { readonly kind: string };
  };
}

/**
 * The message id of a flip: the same each time that it is sent, another one for each flip. From space, computation, profile, incarnation,
 * generation and seq.
 */
export function messageIdOf(flip: FlipId, context: IdContext): string {
  return uuidV5(NAMESPACE, JSON.stringify(identityOf(flip, context)));
}

type FlipId = Pick<Flip, "generation" | "seq">;

function identityOf({ generation, seq }: FlipId, { computation, profile }: IdContext): unknown[] {
  return [SPACE_SOURCE, computation.id, profile.id, profile.incarnation, generation, seq];
}

/** As `messageIdOf`, of the track call of the same flip. */
export function trackMessageIdOf(flip: FlipId, context: IdContext): string {
  return uuidV5(NAMESPACE, JSON.stringify([...identityOf(flip, context), "track"]));
}

/** The call as ingest would have accepted it: `body` is the delivered JSON (contract 2.4), its times are those of the flip. */
export function traitsCall(
  flip: Flip,
  context: FlipContext,
  messageId = messageIdOf(flip, context),
): AcceptedCall {
  const own = { [context.computation.key]: parseExactJson(flip.text) };
  const type = traitsTypeOf(context.profile.id);
  return accepted(flip, context, { type, messageId, traits: { ...traitsOf(flip), ...own } });
}

/** Of a member who has entered or left, as a call of a source could be: receivers that count events count it. */
export function trackCall(flip: Flip, context: FlipContext): AcceptedCall {
  const { id, key, name } = context.computation;
  return accepted(flip, context, {
    type: "track",
    messageId: trackMessageIdOf(flip, context),
    event: flip.text === "true" ? TRACK_EVENTS.entered : TRACK_EVENTS.exited,
    properties: { ...traitsOf(flip), audience_key: key, audience_name: name, audience_id: id },
  });
}

export const TRACK_EVENTS = { entered: "Audience Entered", exited: "Audience Exited" } as const;

/** Of the properties of a track call: no trait that is sent along may have their names. */
export const TRACK_PROPERTIES: readonly string[] = ["audience_key", "audience_name", "audience_id"];

function traitsOf({ traits }: Flip): Record<string, unknown> {
  return traits === "" ? {} : (parseExactJson(traits) as Record<string, unknown>);
}

interface Content {
  readonly type: "identify" | "group" | "track";
  readonly messageId: string;
  readonly [field: string]: unknown;
}

function accepted(
  flip: Flip,
  { computation, profile }: FlipContext,
  { type, ...content }: Content,
): AcceptedCall {
  const personas = {
    computation_class: computation.definition.kind === "trait" ? "trait" : "audience",
    computation_id: computation.id,
    computation_key: computation.key,
    namespace: SPACE_NAMESPACE,
    space_id: SPACE_SOURCE,
  };
  const owner = ownerOf(profile.id);
  const accountId = "groupId" in owner ? owner.groupId : undefined;
  const call = {
    // A group call names its account at its root, any other one in its context.
    ...(accountId === undefined || type === "group" ? owner : {}),
    ...content,
    context: { ...(type === "track" && accountId !== undefined && { groupId: accountId }), personas },
    integrations: { All: false, [WEBHOOKS_INTEGRATION]: true },
  };
  // Its size is bounded by what a leaf and a profile keep, not by what a caller may send.
  const acceptance = acceptCall(call, {
    type,
    accountId,
    receivedAtMs: flip.atMs,
    sizeIsBounded: true,
    newMessageId: () => content.messageId,
  });
  if (!acceptance.ok) throw new Error(`a call of ${computation.key} is not valid: ${acceptance.message}`);
  return acceptance.call;
}
