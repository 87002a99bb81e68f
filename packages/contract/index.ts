export type { RequestFailure, RequestResult } from "./attempt.ts";
