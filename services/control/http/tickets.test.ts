import { hash, randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { testSessions } from "./fixtures/sessions.ts";
import { ticketIn } from "./tickets.ts";

const tokenOf = (name: string, secret = name) => ({ name, digest: hash("sha256", secret, "buffer") });
const OPS = tokenOf("ops");
const STREAM = "/v1/sources/src_1/live";
const HOLDER = { token: OPS, session: undefined };

test("a ticket stands for who asked for it in every process that has the encryption key", () => {
  const key = randomBytes(32);
  const { text, endsAtMs } = testSessions({ key, nowMs: () => 5 }).makeTicket(STREAM, HOLDER);
  expect(endsAtMs).toBe(60_005);
  const other = testSessions({ key, nowMs: () => 6 });
  expect(other.readTicket({ text, url: STREAM }, [tokenOf("ci"), OPS])).toMatchObject(HOLDER);
  expect(testSessions({ nowMs: () => 6 }).readTicket({ text, url: STREAM }, [OPS])).toBeUndefined();
});

test("it ends after a minute, or before with the session that it was asked for by", () => {
  let nowMs = 0;
  const tickets = testSessions({ nowMs: () => nowMs });
  const session = { id: "s", endsAtMs: 20_000 };
  const [long, short] = [HOLDER, { token: OPS, session }].map((holder) => tickets.makeTicket(STREAM, holder));
  const read = (text = "") => tickets.readTicket({ text, url: STREAM }, [OPS]);
  nowMs = 19_999;
  expect(read(short?.text)).toMatchObject({ token: OPS, session });
  nowMs = 20_000;
  expect(read(short?.text)).toBe("ended");
  nowMs = 59_999;
  expect(read(long?.text)).toMatchObject(HOLDER);
  nowMs = 60_000;
  expect(read(long?.text)).toBe("ended");
});

test("it is for one URL, and ends with its token, also when another gets the name", () => {
  const tickets = testSessions();
  const { text } = tickets.makeTicket(`${STREAM}?lastEventId=a.1`, HOLDER);
  const read = (url: string, tokens = [OPS]) => tickets.readTicket({ text, url }, tokens);
  expect(read(`${STREAM}?lastEventId=a.1`)).toMatchObject(HOLDER);
  for (const url of [STREAM, `${STREAM}?lastEventId=a.2`, "/v1/sources/src_2/live?lastEventId=a.1"])
    expect(read(url)).toBeUndefined();
  for (const tokens of [[], [tokenOf("ops", "another")], [tokenOf("other", "ops")]])
    expect(read(`${STREAM}?lastEventId=a.1`, tokens)).toBeUndefined();
});

test("two tickets of one moment are two, and one is the same however its text is written", () => {
  const tickets = testSessions({ nowMs: () => 0 });
  const [one, other] = [HOLDER, HOLDER].map((holder) => tickets.makeTicket(STREAM, holder).text);
  const idOf = (text = "") => tickets.readTicket({ text, url: STREAM }, [OPS]);
  expect(idOf(one)).not.toEqual(idOf(other));
  expect(idOf(`${one}.more`)).toEqual(idOf(one));
});

test("a changed ticket is none, and no session's cookie is one", () => {
  const tickets = testSessions({ nowMs: () => 0 });
  const session = { id: "s", endsAtMs: 20_000 };
  const { text } = tickets.makeTicket(STREAM, { token: OPS, session });
  const [list = "", signature] = text.split(".");
  const id: unknown = JSON.parse(Buffer.from(list, "base64url").toString())[2];
  const read = (given: string) =>
    tickets.readTicket({ text: given, url: STREAM }, [OPS, tokenOf("ci", "ops")]);
  for (const said of [
    ["ops", 20_001, id, "s", 20_000],
    ["ops", 20_000, "another", "s", 20_000],
    ["ops", 20_000, id, "s", 20_001],
    ["ops", 20_000, id, "t", 20_000],
    ["ops", 20_000, id],
    ["ci", 20_000, id, "s", 20_000],
    ["ops", 20_000],
    ["ops"],
  ])
    expect(read(`${Buffer.from(JSON.stringify(said)).toString("base64url")}.${signature}`)).toBeUndefined();
  expect(read(tickets.begin(OPS).text)).toBeUndefined();
  expect(tickets.read(text, [OPS])).toBeUndefined();
  fc.assert(fc.property(fc.string(), (any) => expect(read(any)).toBeUndefined()));
});

test.each([
  [STREAM, undefined],
  [`${STREAM}?ticket=`, undefined],
  [`${STREAM}?ticket=a.b`, { text: "a.b", url: STREAM }],
  [`${STREAM}?a=1&ticket=a.b&c=%2F`, { text: "a.b", url: `${STREAM}?a=1&c=%2F` }],
])("of %s the ticket is %j", (url, ticket) => {
  expect(ticketIn(url)).toEqual(ticket);
});
