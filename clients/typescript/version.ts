export const VERSION = "0.1.0";
export const LIBRARY_NAME = "hookline-typescript";
export const USER_AGENT = `${LIBRARY_NAME}/${VERSION}`;
