import { expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import type { DestinationConfig } from "#topics";
import { createAudience } from "../../resources/audiences/audience.ts";
import { affectedBy } from "./affected.ts";

const audience = (key: string, definition?: object) =>
  createAudience({ id: `aud_${key}`, resource: "audience", key, name: key.toUpperCase(), definition }, 1);
const GUESTS = audience("guests");
const CONFIGS = [
  audience("vips", { all: [{ audience: "invited" }, { event: "A" }] }),
  audience("invited", { any: [{ not: { audience: "guests" } }, { trait: "a", op: "exists" }] }),
  GUESTS,
  audience("others", { event: "A" }),
  { ...audience("gone", { audience: "guests" }), deletedAtMs: 2 },
];
const destination = (id: string, sourceIds: readonly string[], enabled = true) =>
  ({ id, name: id.toUpperCase(), sourceIds, enabled }) as unknown as DestinationConfig;

test("it names the list, the audiences that name it, through others too, and the destinations that are sent the changes", () => {
  const destinations = [
    destination("dst_a", ["src_1", SPACE_SOURCE]),
    destination("dst_c", [SPACE_SOURCE], false),
  ];
  expect(affectedBy(GUESTS.id, CONFIGS, destinations)).toEqual({
    audienceName: "GUESTS",
    audiences: {
      total: 2,
      first: [
        { id: "aud_invited", name: "INVITED" },
        { id: "aud_vips", name: "VIPS" },
      ],
    },
    destinations: { total: 1, first: [{ id: "dst_a", name: "DST_A" }] },
  });
});

test("of many the first twenty are named, and all are counted", () => {
  const destinations = Array.from({ length: 25 }, (_, at) => destination(`d${at}`, [SPACE_SOURCE]));
  const { total, first } = affectedBy(GUESTS.id, CONFIGS, destinations).destinations;
  expect([total, first.length]).toEqual([25, 20]);
});

test("of a list that was deleted nothing is named", () => {
  const { audienceName, audiences } = affectedBy("aud_none", CONFIGS, []);
  expect([audienceName, audiences.total]).toEqual([null, 0]);
});
