import { describe, expect, test } from "@jest/globals";
import { javaMajor } from "./jvm-process.ts";
import { downloadedBytes } from "./software.ts";

describe("Maven's output", () => {
  test.each([
    ["Downloaded from central: https://repo.example/a/kafka-clients-4.3.1.jar (10 MB at 5.1 MB/s)", 10e6],
    ["[INFO] Downloaded from mirror: https://repo.example/a/b.pom (3.5 kB at 35 kB/s)", 3500],
    ["Downloaded from central: https://repo.example/a/b.pom (412 B at 9 kB/s)", 412],
    ["Downloading from central: https://repo.example/a/b.pom", 0],
    ["[INFO] BUILD SUCCESS", 0],
  ])("%s", (line, bytes) => {
    expect(downloadedBytes(line)).toBe(bytes);
  });
});

describe("Java's version", () => {
  test.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['java version "1.8.0_402"', 8],
    ['openjdk version "25" 2025-09-16', 25],
    ["command not found", undefined],
  ])("%s", (output, major) => {
    expect(javaMajor(output)).toBe(major);
  });
});
