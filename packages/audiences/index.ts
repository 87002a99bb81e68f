export type {
  AudienceDefinition,
  ComputedTraitDefinition,
  Expression,
  Leaf,
  Reading,
} from "./definition/definition.ts";
export { type AudienceContext, parseAudience } from "./definition/parse-audience.ts";
export { parseComputedTrait } from "./definition/parse-computed-trait.ts";
export { keyProblem, snakeCase } from "./definition/snake-case.ts";
