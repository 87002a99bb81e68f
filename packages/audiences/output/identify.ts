// The identify by which a destination learns of a membership or a computed trait (contract 8.1, 8.2, 8.5).
import { type AcceptedCall, acceptCall, SPACE_SOURCE, uuidV5, WEBHOOKS_INTEGRATION } from "#contract";
import type { Computation } from "../profile/computation.ts";
import { ownerOf } from "../profile/identity.ts";
import type { Flip, Profile } from "../profile/profile.ts";

/** The space whose audiences these are. */
export interface Space {
  readonly id: string;
  readonly namespace: string;
}

/** The only one that there is. */
export const SPACE: Space = { id: SPACE_SOURCE, namespace: "default" };

/** Of this product's identifies: a uuid v5 of its own, so that no other name gives the same ids. */
const NAMESPACE = Buffer.from("6f8d1c1e4f0b5a6c9d3e2b7a18c45f90", "hex");

export interface FlipContext {
  readonly profile: Pick<Profile, "id" | "incarnation">;
  readonly computation: Pick<Computation, "id" | "key"> & { readonly definition: { readonly kind: string } };
  readonly space: Space;
}

/**
 * The message id of a flip: the same each time that it is sent, another one for each flip. From space, computation, profile, incarnation,
 * generation and seq.
 */
export function messageIdOf({ generation, seq }: Flip, { computation, profile, space }: FlipContext): string {
  return uuidV5(
    NAMESPACE,
    JSON.stringify([space.id, computation.id, profile.id, profile.incarnation, generation, seq]),
  );
}

/** The call as ingest would have accepted it: `body` is the delivered JSON (contract 2.4), its times are those of the flip. */
export function identifyCall(
  flip: Flip,
  context: FlipContext,
  messageId = messageIdOf(flip, context),
): AcceptedCall {
  const { computation, profile, space } = context;
  const isTrait = computation.definition.kind === "trait";
  const personas = {
    computation_class: isTrait ? "trait" : "audience",
    computation_id: computation.id,
    computation_key: computation.key,
    namespace: space.namespace,
    space_id: space.id,
  };
  const call = {
    ...ownerOf(profile.id),
    traits: { [computation.key]: JSON.parse(flip.text) as unknown },
    context: { personas },
    integrations: { All: false, [WEBHOOKS_INTEGRATION]: true },
    messageId,
  };
  // Its size is bounded by what a leaf keeps, not by what a caller may send.
  const acceptance = acceptCall(call, {
    type: "identify",
    receivedAtMs: flip.atMs,
    sizeIsBounded: true,
    newMessageId: () => call.messageId,
  });
  if (!acceptance.ok)
    throw new Error(`an identify of ${computation.key} is no valid call: ${acceptance.message}`);
  return acceptance.call;
}
