export default {
  // Node, and an end to its processes.
  testEnvironment: "<rootDir>/test/jest/environment.mjs",
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/jest/strip-types.mjs" },
  testMatch: ["<rootDir>/{packages,services,cli,dev,deploy,clients,console,test,bin}/**/*.test.ts"],
  // Downloads and running stacks; their files come and go while jest looks for tests.
  modulePathIgnorePatterns: ["<rootDir>/.cache/"],
  globalSetup: "<rootDir>/test/jest/global-setup.mjs",
  globalTeardown: "<rootDir>/test/jest/global-teardown.mjs",
  // The slow suites first.
  testSequencer: "<rootDir>/test/jest/sequencer.mjs",
  // Generous: it is a bound for what hangs, and other suites hold the cores.
  testTimeout: 180_000,
  // One more than a small machine has cores: suites that use Kafka wait half of their time (decision 30).
  maxWorkers: 3,
  // A worker with nothing left to do takes a second until it is gone where others hold the cores: jest's half a second looked like a leak.
  workerGracefulExitTimeout: 10_000,
};
