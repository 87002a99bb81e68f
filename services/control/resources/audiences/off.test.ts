import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";

let control: ControlService;

beforeAll(async () => {
  control = await startControl({ settings: { HOOKLINE_AUDIENCES: "off" } });
});

afterAll(() => control.stop());

const LEAF = { kind: "event", event: "Order Completed", count: { op: "at_least", value: 1 } };

test("where audiences are off, every route of them says so and names the setting", async () => {
  const asked = [
    control.ask("/v1/audiences"),
    control.ask("/v1/audiences", { body: { name: "Buyers", key: "buyers", definition: LEAF } }),
    control.ask("/v1/audiences/aud_1/members"),
    control.ask("/v1/audiences/aud_1/overlap?with=aud_2"),
    control.ask("/v1/audiences/preview", { body: { definition: LEAF } }),
    control.ask("/v1/audiences/aud_1/imports/imp_1"),
    control.ask("/v1/computed-traits"),
    control.ask("/v1/profiles/u1"),
    control.ask("/v1/computed-traits/ctr_1/values.csv"),
  ];
  for (const { status, body } of await Promise.all(asked)) {
    expect({ status, type: body.type }).toEqual({ status: 409, type: "urn:hookline:problem:conflict" });
    expect(body.detail).toContain("HOOKLINE_AUDIENCES is off");
  }
});

test("where audiences are off, the rest of the API goes on, and the metric says why nobody keeps them", async () => {
  const { body: source, status } = await control.ask("/v1/sources", { body: { name: "Shop" } });
  expect(status).toBe(201);
  expect((await control.ask(`/v1/sources/${source.id}`)).status).toBe(200);
  expect(await control.metrics()).toMatch(/^hookline_control_has_audiences 0$/m);
});
