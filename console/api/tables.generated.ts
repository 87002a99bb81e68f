// Written by `npm run generate`.
export const OPTIONS = {
  "callTypes": {
    "kind": "list",
    "isNullable": true,
    "group": "selection",
    "unset": "all",
    "title": "Call types",
    "hint": "One a line of track, page, screen, identify, group, alias, delete; none: all of them."
  },
  "events": {
    "kind": "list",
    "isNullable": true,
    "group": "selection",
    "unset": "all",
    "title": "Events",
    "hint": "Names of track calls, one a line; none: all."
  },
  "filter": {
    "kind": "conditions",
    "isNullable": true,
    "group": "selection",
    "unset": "",
    "title": "Filter",
    "hint": "None: all calls."
  },
  "maxRequestsPerSecond": {
    "kind": "number",
    "isNullable": true,
    "group": "sending",
    "unset": "no limit",
    "title": "Requests a second",
    "hint": "None: no limit."
  },
  "maxInFlight": {
    "kind": "number",
    "isNullable": true,
    "group": "sending",
    "unset": "no limit",
    "title": "Requests in flight",
    "hint": "None: what the endpoint takes."
  },
  "shards": {
    "kind": "number",
    "isNullable": true,
    "group": "sending",
    "unset": "by default",
    "title": "Shards",
    "hint": "None: the default, 4."
  },
  "disableAfter": {
    "kind": "text",
    "isNullable": true,
    "group": "sending",
    "unset": "never",
    "title": "Switched off after failing for",
    "hint": "As 3d; none: never."
  },
  "retryDelays": {
    "kind": "list",
    "isNullable": true,
    "group": "sending",
    "unset": "as the installation's",
    "title": "Retry delays",
    "hint": "As 10s or 5m, one a line; none: the installation's."
  },
  "retryWindow": {
    "kind": "text",
    "isNullable": true,
    "group": "sending",
    "unset": "as the installation's",
    "title": "Retry window",
    "hint": "As 4h; none: the installation's."
  },
  "standardWebhooks": {
    "kind": "switch",
    "isNullable": false,
    "group": "sending",
    "unset": "",
    "title": "Standard Webhooks headers"
  }
} as const;
export const DEAD_LETTER_REASONS = [
  "permanent",
  "window_over",
  "not_asked",
  "destination_gone",
  "destination_disabled",
  "destination_paused",
  "undecodable",
  "handler_failed"
] as const;
export const DROP_REASONS = [
  "integration_off",
  "no_destination",
  "call_type_off",
  "event_off",
  "filter_off",
  "duplicate",
  "suppressed"
] as const;
export const OUTCOME_REASONS = [
  "timeout",
  "http_5xx",
  "http_408",
  "http_429",
  "tls",
  "dns",
  "connect",
  "reset",
  "invalid_response",
  "secret_unreadable",
  "http_4xx",
  "http_3xx",
  "self_signed",
  "blocked_address",
  "invalid_request"
] as const;
export const PASSED_OVER_REASONS = [
  "integration_off",
  "call_type_off",
  "event_off",
  "filter_off",
  "suppressed"
] as const;
export const REFUSAL_CODES = [
  "no_user_anon_id",
  "event_not_defined",
  "event_not_string",
  "properties_not_object",
  "traits_not_object",
  "name_not_string",
  "id_required",
  "id_not_string",
  "invalid_type",
  "message_too_large",
  "too_many_messages",
  "empty_batch",
  "unknown_source",
  "source_disabled",
  "invalid_json",
  "invalid_encoding",
  "not_an_object",
  "nested_too_deep",
  "number_out_of_range",
  "message_id_too_long",
  "context_not_object",
  "integrations_invalid",
  "rate_limited"
] as const;
export const CALL_KINDS = [
  "event",
  "page",
  "screen"
] as const;
export const AUDIT_ACTIONS = [
  "created",
  "updated",
  "deleted",
  "started",
  "cancelled",
  "confirmed",
  "retried",
  "acknowledged",
  "snoozed",
  "resolved",
  "reopened"
] as const;
export const HEALTH_STATES = [
  "untested",
  "breaker_open",
  "healthy",
  "failing",
  "recovering"
] as const;
export const ISSUE_STATES = [
  "open",
  "acknowledged",
  "snoozed",
  "resolved"
] as const;
export const REGULATION_STATUSES = [
  "initialized",
  "running",
  "finished",
  "failed"
] as const;
