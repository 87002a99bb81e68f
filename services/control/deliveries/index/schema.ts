// The tables of the index. Whatever changes here gets a new version: a file of another one is thrown away and made again from the topics.

export const SCHEMA_VERSION = 16;

/** Tables that are kept below a bound. SQLite would go through all of a table to count it: 45 ms for two million rows. */
const COUNTED = [
  "attempts",
  "audit_entries",
  "dead_letters",
  "flow",
  "issues",
  "names",
  "refused_calls",
  "routed_calls",
  "totals",
] as const;
export type CountedTable = (typeof COUNTED)[number];

/** For every connection: a row that is replaced is told to triggers as deleted, so that it counts once. */
export const CONNECTION = "PRAGMA recursive_triggers = ON;";

const counting = (table: CountedTable): string => `
INSERT INTO row_counts VALUES ('${table}', 0);
CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} BEGIN UPDATE row_counts SET rows = rows + 1 WHERE name = '${table}'; END;
CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN UPDATE row_counts SET rows = rows - 1 WHERE name = '${table}'; END;`;

/**
 * `place` is a record's partition and offset in one number (places.ts): it makes reading a record twice harmless, orders what happened at
 * the same time, and lets old records go from the beginning of each partition. `details`, `destination_ids`,
 * `passed_over`, `counts`, `user_ids` and `issue_ids` are JSON, as nothing is looked up by them; `issue_ids` has the status of each issue that the call died of. `minute_ms` is where a step begins that `step_ms` is long: a minute, an hour or a day (rolling.ts).
 * An issue that left and came back does not count dead letters of before.
 * `shares` is in how many further files recorded calls are (shares.ts).
 */
export const SCHEMA = `
CREATE TABLE positions (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)
) WITHOUT ROWID;

CREATE TABLE writers (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, writer TEXT NOT NULL, sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL,
  PRIMARY KEY (topic, partition, writer)
) WITHOUT ROWID;

CREATE TABLE attempts (
  place INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL, destination_id TEXT NOT NULL, message_id TEXT NOT NULL, outcome TEXT NOT NULL,
  retryable INTEGER NOT NULL, job_id TEXT NOT NULL, source_id TEXT NOT NULL, user_id TEXT, anonymous_id TEXT,
  type TEXT NOT NULL, url TEXT NOT NULL,
  attempt INTEGER NOT NULL, status INTEGER, message TEXT NOT NULL, duration_ms INTEGER NOT NULL, replay_id TEXT,
  suppressed INTEGER NOT NULL, details TEXT
);
CREATE INDEX attempts_of_all ON attempts (at_ms);
CREATE INDEX attempts_by_time ON attempts (destination_id, at_ms);
CREATE INDEX attempts_failed ON attempts (destination_id, at_ms) WHERE outcome <> 'success';
CREATE INDEX attempts_by_message ON attempts (message_id, at_ms);

CREATE TABLE totals (
  destination_id TEXT NOT NULL, minute_ms INTEGER NOT NULL, step_ms INTEGER NOT NULL, source_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL, counts TEXT NOT NULL,
  PRIMARY KEY (destination_id, minute_ms, step_ms, source_id, webhook_id)
) WITHOUT ROWID;
CREATE INDEX totals_by_step ON totals (step_ms, minute_ms);
CREATE INDEX totals_by_source ON totals (source_id, minute_ms);

CREATE TABLE routed_calls (
  place INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL, source_id TEXT NOT NULL, message_id TEXT NOT NULL,
  user_id TEXT, anonymous_id TEXT, type TEXT NOT NULL, event TEXT, call_place INTEGER NOT NULL,
  outcome TEXT NOT NULL, destination_ids TEXT NOT NULL, passed_over TEXT
);
CREATE INDEX routed_calls_by_source ON routed_calls (source_id, at_ms);
CREATE INDEX routed_calls_by_message ON routed_calls (message_id, at_ms);

CREATE TABLE refused_calls (
  place INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL, source_id TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, calls INTEGER NOT NULL,
  first_index INTEGER, user_ids TEXT
);
CREATE INDEX refused_calls_by_source ON refused_calls (source_id, at_ms);

CREATE TABLE call_ends (
  partition INTEGER NOT NULL, call_partition INTEGER NOT NULL, next_offset INTEGER NOT NULL,
  PRIMARY KEY (partition, call_partition)
) WITHOUT ROWID;

CREATE TABLE flow (
  source_id TEXT NOT NULL, minute_ms INTEGER NOT NULL, type TEXT NOT NULL, stage TEXT NOT NULL,
  destination_id TEXT NOT NULL, reason TEXT NOT NULL, step_ms INTEGER NOT NULL, calls INTEGER NOT NULL,
  PRIMARY KEY (source_id, minute_ms, type, stage, destination_id, reason, step_ms)
) WITHOUT ROWID;
CREATE INDEX flow_by_destination ON flow (destination_id, minute_ms);
CREATE INDEX flow_by_step ON flow (step_ms, minute_ms);

CREATE TABLE names (
  source_id TEXT NOT NULL, destination_id TEXT NOT NULL, minute_ms INTEGER NOT NULL, step_ms INTEGER NOT NULL, counts TEXT NOT NULL,
  PRIMARY KEY (source_id, destination_id, minute_ms, step_ms)
) WITHOUT ROWID;
CREATE INDEX names_by_source ON names (source_id, minute_ms);
CREATE INDEX names_by_destination ON names (destination_id, minute_ms);
CREATE INDEX names_by_step ON names (step_ms, minute_ms);

CREATE TABLE rollups_due (
  step_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, source_id TEXT NOT NULL, destination_id TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (step_ms, at_ms, source_id, destination_id)
) WITHOUT ROWID;

CREATE TABLE rollups_written (
  step_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, source_id TEXT NOT NULL, destination_id TEXT NOT NULL,
  counted INTEGER NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (step_ms, at_ms, source_id, destination_id)
) WITHOUT ROWID;

CREATE TABLE open_in (boot TEXT NOT NULL, closed INTEGER NOT NULL);

CREATE TABLE life (created_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL, shares INTEGER NOT NULL);

CREATE TABLE dead_letters (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  dead_at_ms INTEGER NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL, destination_id TEXT, source_id TEXT, message_id TEXT,
  user_id TEXT, anonymous_id TEXT,
  type TEXT, received_at_ms INTEGER, attempts INTEGER NOT NULL, replay_id TEXT, replayable INTEGER NOT NULL,
  issue_ids TEXT NOT NULL
);
CREATE UNIQUE INDEX dead_letters_by_id ON dead_letters (id, ifnull(user_id, ''), ifnull(anonymous_id, ''));
CREATE INDEX dead_letters_by_time ON dead_letters (dead_at_ms);
CREATE INDEX dead_letters_by_destination ON dead_letters (destination_id, dead_at_ms);
CREATE INDEX dead_letters_by_source ON dead_letters (source_id, dead_at_ms);
CREATE INDEX dead_letters_by_reason ON dead_letters (reason, dead_at_ms);
CREATE INDEX dead_letters_by_message ON dead_letters (message_id, dead_at_ms) WHERE message_id IS NOT NULL;
CREATE INDEX dead_letters_in_order ON dead_letters (destination_id, place);
CREATE INDEX dead_letters_by_replay ON dead_letters (replay_id) WHERE replay_id IS NOT NULL;

CREATE TABLE audit_entries (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE, at_ms INTEGER NOT NULL, token TEXT NOT NULL, request_id TEXT, action TEXT NOT NULL,
  resource TEXT NOT NULL, resource_id TEXT NOT NULL, is_made INTEGER NOT NULL, size INTEGER NOT NULL, claim TEXT
);
CREATE INDEX audit_entries_by_time ON audit_entries (at_ms);
CREATE INDEX audit_entries_by_resource ON audit_entries (resource_id, at_ms);
CREATE INDEX audit_entries_by_request ON audit_entries (request_id, at_ms) WHERE request_id IS NOT NULL;

CREATE TABLE issues (
  issue INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE, destination_id TEXT NOT NULL, url TEXT, reason TEXT NOT NULL,
  first_at_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, failed_at_ms INTEGER, dead_at_ms INTEGER,
  requests INTEGER NOT NULL DEFAULT 0, dead_letters INTEGER NOT NULL DEFAULT 0, status INTEGER, message TEXT NOT NULL
);
CREATE INDEX issues_of_destination ON issues (destination_id);

CREATE TABLE issue_statuses (
  id TEXT NOT NULL, status INTEGER NOT NULL, requests INTEGER NOT NULL, dead_letters INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL, message TEXT NOT NULL,
  PRIMARY KEY (id, status)
) WITHOUT ROWID;
CREATE TRIGGER dead_letter_gone AFTER DELETE ON dead_letters BEGIN
  UPDATE issue_statuses SET dead_letters = dead_letters - 1 WHERE (id, status) IN (
    SELECT key, value FROM json_each(OLD.issue_ids) JOIN issues ON issues.id = key WHERE first_at_ms <= OLD.dead_at_ms);
  UPDATE issues SET dead_letters = dead_letters - 1
    WHERE id IN (SELECT key FROM json_each(OLD.issue_ids)) AND first_at_ms <= OLD.dead_at_ms;
END;
CREATE TRIGGER issue_gone AFTER DELETE ON issues BEGIN DELETE FROM issue_statuses WHERE id = OLD.id; END;

CREATE TABLE row_counts (name TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;
${COUNTED.map(counting).join("")}
`;
