// Languages that tests need on the machine. One that is missing is a failure that says what to install, never a skip.
import { spawnSync } from "node:child_process";
import { environment } from "#support/environment";

const GO_MINOR = 26;
const JAVA_MAJOR = 17;

function versionOf(command: string, argument: string): string {
  const { stdout, stderr, status } = spawnSync(command, [argument], { encoding: "utf8", env: environment });
  return status === 0 ? stdout + stderr : "";
}

/** Throws when there is no Go, or one that is too old for the library's tools. */
export function requireGo(): void {
  const found = versionOf("go", "version");
  const [, minor = "0"] = /go1\.(\d+)/.exec(found) ?? [];
  if (Number(minor) >= GO_MINOR) return;
  throw new Error(
    `Go is ${found.trim() || "not there"}: install Go 1.${GO_MINOR} or later, https://go.dev/dl`,
  );
}

/** Throws when there is no Python 3. */
export function requirePython(): void {
  if (versionOf("python3", "--version").startsWith("Python 3")) return;
  throw new Error("python3 is not there: install Python 3, https://www.python.org/downloads");
}

/** Throws when there is no JDK that runs sources, or no Maven. */
export function requireJava(): void {
  const [, major = "0"] = /^(?:openjdk|java) (\d+)/m.exec(versionOf("java", "--version")) ?? [];
  if (Number(major) >= JAVA_MAJOR && versionOf("mvn", "--version") !== "") return;
  throw new Error(`install a JDK of version ${JAVA_MAJOR} or later and Maven, https://maven.apache.org`);
}

/** Throws when there is no cargo. */
export function requireRust(): void {
  if (versionOf("cargo", "--version").startsWith("cargo ")) return;
  throw new Error("cargo is not there: install Rust, https://rustup.rs");
}
