import type { Deliveries } from "../index/open.ts";

/** What GET /v1/info works with. */
export interface InfoParts {
  readonly deliveries: {
    readonly index: Pick<Deliveries["index"], "spans">;
    readonly progress: Pick<Deliveries["progress"], "indexedUntilMs">;
  };
  readonly installation: Installation;
}

/** What a process of control knows of the whole it is part of. */
interface Installation {
  /** Of the release. */
  readonly version: string;
  readonly hasAudiences: boolean;
  /** HOOKLINE_INDEX_MAX_ROWS. */
  readonly maxRows: number;
}
