export default {
  testEnvironment: "node",
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/jest/strip-types.mjs" },
  testMatch: ["<rootDir>/{packages,services,deploy,clients,test}/**/*.test.ts"],
  testTimeout: 30_000,
};
