// A part of the faults, drawn by a seed, where asking about all takes too long: Stryker's checker that leaves out the others.
import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import type { Checker, CheckResult } from "@stryker-mutator/api/check";
import { CheckStatus } from "@stryker-mutator/api/check";
import type { Mutant, StrykerOptions } from "@stryker-mutator/api/core";
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";

const ROOT = join(import.meta.dirname, "../..");

export interface Sample {
  /** From 0 to 1. */
  readonly share: number;
  readonly seed: number;
}

type Fault = Pick<Mutant, "fileName" | "location" | "mutatorName" | "replacement">;

/**
 * Whether a fault is drawn: each with the same chance, whatever else is drawn. One that is drawn stays so when the share grows, and
 * when other files change.
 */
export function isDrawn({ fileName, location, mutatorName, replacement }: Fault, sample: Sample): boolean {
  const fault = [sample.seed, relative(ROOT, fileName), location, mutatorName, replacement];
  const digest = createHash("sha256").update(JSON.stringify(fault)).digest();
  return digest.readUInt32BE() / 2 ** 32 < sample.share;
}

class SampleChecker implements Checker {
  readonly #sample: Sample;

  constructor(options: StrykerOptions) {
    this.#sample = options["sample"] as Sample;
  }

  async init(): Promise<void> {
    // Nothing is prepared.
  }

  /** All in one group, so that the faults are not sent one by one. */
  async group(mutants: readonly Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: readonly Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#resultOf(mutant)]));
  }

  #resultOf(mutant: Mutant): CheckResult {
    // The only answer that Stryker has for a fault that is not to be tried; it does not count in the score.
    if (!isDrawn(mutant, this.#sample)) return { status: CheckStatus.CompileError, reason: "not drawn" };
    return { status: CheckStatus.Passed };
  }
}

function createChecker(options: StrykerOptions): Checker {
  return new SampleChecker(options);
}
createChecker.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, "sample", createChecker)];

export const strykerValidationSchema = { properties: { sample: { type: "object" } } };
