// Parsers of variables' texts. Pure; a wrong text is a value too, so that all of them can be named at once.
import { BlockList, isIP } from "node:net";
import { parseDuration } from "#contract";

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** A kind of value. `name` is what people read in the help and the reference page. */
export interface ValueType<T> {
  readonly name: string;
  parse(text: string): Parsed<T>;
}

const accept = <T>(value: T): Parsed<T> => ({ ok: true, value });
const refuse = (problem: string): Parsed<never> => ({ ok: false, problem });

export const text: ValueType<string> = { name: "text", parse: accept };

export function textMatching(name: string, pattern: RegExp): ValueType<string> {
  return { name, parse: (given) => (pattern.test(given) ? accept(given) : refuse(`is not ${name}`)) };
}

export function integer({ min, max }: { min: number; max: number }): ValueType<number> {
  const name = `whole number from ${min} to ${max}`;
  return {
    name,
    parse(given) {
      const value = /^-?\d+$/.test(given) ? Number(given) : Number.NaN;
      return value >= min && value <= max ? accept(value) : refuse(`is not a ${name}`);
    },
  };
}

/** 0 picks a free port; the ready line names it (contract 11.1). */
export const port: ValueType<number> = {
  ...integer({ min: 0, max: 65_535 }),
  name: "port, 0 for a free one",
};

const TRUE = ["true", "1", "yes", "on"];
const FALSE = ["false", "0", "no", "off"];

export const flag: ValueType<boolean> = {
  name: "true or false",
  parse(given) {
    const word = given.toLowerCase();
    if (TRUE.includes(word)) return accept(true);
    return FALSE.includes(word) ? accept(false) : refuse("is neither true nor false");
  },
};

export function choice<const C extends string>(choices: readonly C[]): ValueType<C> {
  const name = choices.join(", ");
  return {
    name,
    parse(given) {
      const found = choices.find((candidate) => candidate === given.toLowerCase());
      return found === undefined ? refuse(`is not one of ${name}`) : accept(found);
    },
  };
}

/** A duration in milliseconds. A number without its unit is refused: someone would read it wrongly. */
export const duration: ValueType<number> = {
  name: "duration",
  parse(given) {
    const durationMs = parseDuration(given);
    return durationMs === undefined
      ? refuse("is not a duration such as 250ms, 10s, 5m, 4h or 1d")
      : accept(durationMs);
  },
};

/** As `duration`; Infinity for what is never. */
export const durationOrOff: ValueType<number> = {
  name: "duration, or off",
  parse(given) {
    if (given === "0" || given.toLowerCase() === "off") return accept(Number.POSITIVE_INFINITY);
    const parsed = duration.parse(given);
    if (!parsed.ok) return refuse(`${parsed.problem}, nor off`);
    return parsed.value > 0 ? parsed : accept(Number.POSITIVE_INFINITY);
  },
};

function withoutEndingSlashes(given: string): string {
  let end = given.length;
  while (given[end - 1] === "/") end -= 1;
  return given.slice(0, end);
}

export const httpUrl: ValueType<string> = {
  name: "http(s) URL",
  parse(given) {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return refuse("is not an http or https URL");
    return accept(withoutEndingSlashes(given));
  },
};

export const hostPort: ValueType<string> = {
  name: "host:port",
  parse(given) {
    const [, digits] = /^(?:[^\s:,[\]]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(given) ?? [];
    const isPort = digits !== undefined && Number(digits) >= 1 && Number(digits) <= 65_535;
    return isPort ? accept(given) : refuse("is not host:port");
  },
};

export const cidr: ValueType<string> = {
  name: "CIDR",
  parse(given) {
    const [address = "", bits = "", ...rest] = given.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const wrong = rest.length > 0 || isIP(address) === 0 || !/^\d{1,3}$/.test(bits);
    try {
      if (!wrong) new BlockList().addSubnet(address, Number(bits), family);
    } catch {
      return refuse("has a prefix length that its address family does not have");
    }
    return wrong ? refuse("is not a CIDR such as 10.0.0.0/8 or fd00::/8") : accept(given);
  },
};

/** Comma-separated; blanks around the items and empty items do not count. */
export function listOf<T>(item: ValueType<T>): ValueType<readonly T[]> {
  return {
    name: `comma-separated list of ${item.name}`,
    parse(given) {
      const texts = given.split(",").map((part) => part.trim());
      const values: T[] = [];
      for (const [index, part] of texts.filter((part) => part !== "").entries()) {
        const parsed = item.parse(part);
        if (!parsed.ok) return refuse(`item ${index + 1} ${parsed.problem}`);
        values.push(parsed.value);
      }
      return accept(values);
    },
  };
}
