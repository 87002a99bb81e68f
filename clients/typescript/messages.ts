// What each call takes (contract 1.5, 9.3).

interface Common {
  /** When it happened, for imports of the past: ISO 8601 or a Date. Default: the time of the call. */
  readonly timestamp?: string | Date | undefined;
  /** What surrounds the call, like device or locale; not attributes of the user. */
  readonly context?: object | undefined;
  /** Which destinations get the call, by name; `{ All: false }` switches off those that are not `true`. */
  readonly integrations?: object | undefined;
  /** Tells copies apart, at most 100 characters. Default: a random one. */
  readonly messageId?: string | undefined;
}

/** The id of the user in your database, or of one who is not known yet. */
type Someone =
  | { readonly userId: string; readonly anonymousId?: string | undefined }
  | { readonly userId?: string | undefined; readonly anonymousId: string };

/** Ties a user to traits. */
export type Identify = Common & Someone & { readonly traits?: object | undefined };

/** Says that a user did something. */
export type Track = Common & Someone & { readonly event: string; readonly properties?: object | undefined };

interface View {
  readonly category?: string | undefined;
  readonly name?: string | undefined;
  readonly properties?: object | undefined;
}

/** Says that a user saw a page. Of its properties url, title, referrer and path are recognised. */
export type Page = Common & View & { readonly userId: string; readonly anonymousId?: string | undefined };

/** Says that a user saw a screen of an app. */
export type Screen = Common & View & Someone;

/** Puts a user into a group. */
export type Group = Common & Someone & { readonly groupId: string; readonly traits?: object | undefined };

/** Says that two ids are one user. */
export type Alias = Common & { readonly userId: string; readonly previousId: string };

interface Messages {
  readonly identify: Identify;
  readonly track: Track;
  readonly page: Page;
  readonly screen: Screen;
  readonly group: Group;
  readonly alias: Alias;
}

export type CallType = keyof Messages;
