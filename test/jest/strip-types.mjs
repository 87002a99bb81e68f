// Jest's transform for TypeScript: the same type stripping with which Node runs the services, so a test runs
// the very code that production runs (line and column numbers stay as they are).
import { stripTypeScriptTypes } from "node:module";

export default {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: "strip" }) }),
};
