// Which part may import which (docs/develop/architecture.md, "Boundaries"). A test proves that each rule refuses something.
const PACKAGES = {
  contract: [],
  host: [],
  packed: [],
  secrets: [],
  runtime: ["contract", "host"],
  egress: ["contract", "host"],
  topics: ["contract"],
  audiences: ["contract", "host", "topics"],
  serde: ["contract", "host", "topics"],
  kafka: ["contract", "host", "packed", "topics", "serde"],
  connection: ["contract", "host", "topics", "serde", "kafka", "runtime"],
  state: ["contract", "host", "topics", "serde", "kafka"],
  tracing: ["contract", "host", "topics", "serde", "kafka", "runtime"],
  testing: ["contract", "egress", "host", "topics", "serde", "kafka", "state"],
};

/** npm packages that exactly one place may use, so that they can be replaced there. */
const SOLE_USERS = {
  kafkajs: "^(packages/kafka/|test/support/kafka-access\\.ts$)",
  avsc: "^packages/serde/",
  "@kafkajs/confluent-schema-registry": "^packages/serde/",
  lmdb: "^packages/state/",
  undici: "^(packages/egress/|test/bench/)",
  "prom-client": "^packages/runtime/",
  pino: "^packages/runtime/",
  testcontainers: "^dev/local/",
  "@opentelemetry/sdk-trace": "^packages/tracing/(span-export|bounded-spans)\\.ts$",
  "@opentelemetry/exporter-trace-otlp-http": "^packages/tracing/span-export\\.ts$",
};

/** What somebody else runs: the command, what is for developers, what deployments are made of. */
const TOOLS = "cli|dev|deploy|test";

/** Tests, and what several of them share. */
const OF_TESTS = "(\\.test\\.ts$|/fixtures/)";

const KAFKA_ROOMS = "producing|consuming|tables|admin|protocol";

/** The wings of control, each of which imports only those before it (docs/develop/architecture.md). */
const CONTROL_WINGS = ["http", "records", "resources", "deliveries", "jobs"];

/** What every wing may use of the service's own folder; the rest of it opens and joins the wings. */
const CONTROL_LEAVES = "ids|telemetry";

const packageRules = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `package-${name}-imports-only-what-it-may`,
  severity: "error",
  from: { path: `^packages/${name}/` },
  to: {
    path: `^(packages|services|${TOOLS})/`,
    // What tests share is kept from the product by the rules on tests and on the package of fakes.
    pathNot: `^packages/(${[name, ...allowed, "testing"].join("|")})/|^test/support/`,
  },
}));

const wingRules = CONTROL_WINGS.slice(0, -1).map((wing, index) => ({
  name: `control-${wing}-imports-no-later-wing`,
  severity: "error",
  from: { path: `^services/control/${wing}/`, pathNot: OF_TESTS },
  to: { path: `^services/control/(${CONTROL_WINGS.slice(index + 1).join("|")})/` },
}));

const soleUserRules = Object.entries(SOLE_USERS).map(([name, path]) => ({
  name: `only-one-place-uses-${name.replace(/[^a-z]+/g, "-")}`,
  severity: "error",
  from: { pathNot: path },
  to: { path: `node_modules/${name}/` },
}));

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "nothing-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "services-never-import-services",
      severity: "error",
      from: { path: "^services/([^/]+)/" },
      to: { path: "^services/", pathNot: "^services/$1/" },
    },
    {
      name: "production-code-never-imports-tests-or-tools",
      severity: "error",
      from: { path: "^(packages|services)/", pathNot: `${OF_TESTS}|^packages/testing/` },
      to: { path: `^(${TOOLS})/` },
    },
    {
      name: "only-tests-import-the-fakes",
      severity: "error",
      from: { pathNot: `${OF_TESTS}|^packages/testing/|^test/` },
      to: { path: "^packages/testing/" },
    },
    {
      name: "the-shipped-command-imports-no-tools",
      severity: "error",
      from: { path: "^cli/", pathNot: OF_TESTS },
      to: { path: "^(dev|deploy|test)/" },
    },
    {
      name: "packages-are-entered-by-their-front-door",
      severity: "error",
      from: { path: `^(services|clients|${TOOLS})/` },
      // Virtual time has a door of its own: most of its users need no simulated cluster.
      to: { path: "^packages/[^/]+/(?!index\\.ts$)", pathNot: "^packages/testing/host/index\\.ts$" },
    },
    {
      name: "clients-depend-on-nothing",
      severity: "error",
      from: { path: "^clients/([^/]+)/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: ["^clients/$1/", "^node:"], dependencyTypesNot: ["core"] },
    },
    {
      name: "console-imports-nothing-of-the-product",
      severity: "error",
      from: { path: "^console/", pathNot: "^console/build/write-types\\.ts$" },
      to: { path: `^(packages|services|clients|${TOOLS}|bin)/` },
    },
    {
      name: "nothing-imports-the-console",
      severity: "error",
      from: { path: `^(packages|services|clients|${TOOLS}|bin)/` },
      to: { path: "^console/" },
    },
    {
      name: "kafka-rooms-never-import-the-front",
      severity: "error",
      from: { path: `^packages/kafka/(${KAFKA_ROOMS})/`, pathNot: OF_TESTS },
      to: { path: "^packages/kafka/(index|kafka)\\.ts$" },
    },
    {
      name: "kafka-leaves-import-no-room",
      severity: "error",
      from: { path: "^packages/kafka/[^/]+\\.ts$", pathNot: "/(index|kafka)\\.ts$|\\.test\\.ts$" },
      to: { path: `^packages/kafka/(${KAFKA_ROOMS})/` },
    },
    {
      name: "kafka-protocol-is-behind-the-seam",
      severity: "error",
      from: {
        path: `^packages/kafka/(${KAFKA_ROOMS})/`,
        pathNot: "^packages/kafka/protocol/|\\.test\\.ts$|/fixtures/",
      },
      to: { path: "^packages/kafka/protocol/" },
    },
    {
      name: "kafka-protocol-imports-no-other-room",
      severity: "error",
      from: { path: "^packages/kafka/protocol/", pathNot: "\\.test\\.ts$" },
      to: { path: `^packages/kafka/(${KAFKA_ROOMS})/`, pathNot: "^packages/kafka/protocol/" },
    },
    {
      name: "deliverer-endpoints-know-no-jobs",
      severity: "error",
      from: { path: "^services/deliverer/endpoints/", pathNot: "\\.test\\.ts$" },
      to: { path: "^services/deliverer/(job|requests|intake|waking|attempt-log)/" },
    },
    {
      name: "control-wings-never-import-the-wiring",
      severity: "error",
      from: { path: "^services/control/[^/]+/", pathNot: "\\.test\\.ts$" },
      to: { path: "^services/control/[^/]+\\.ts$", pathNot: `/(${CONTROL_LEAVES})\\.ts$` },
    },
    ...wingRules,
    ...packageRules,
    ...soleUserRules,
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)\\.cache/|^console/dist" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};
