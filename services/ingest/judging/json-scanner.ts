// Goes over JSON without making anything of it: one look at each byte, and no recursion, whatever it nests.

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BLANK = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The distance from "{" to "}" and from "[" to "]". */
const TO_CLOSER = 2;
/** The length of \u0041. */
const LONGEST_ESCAPE = 6;

/** The position behind the last byte. */
const END = -1;

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const LITERALS = ["true", "false", "null"].map((word) => Buffer.from(word));

/** 1: may stand between two parts of JSON. */
const IS_BLANK = Uint8Array.from({ length: 256 }, (_, code) =>
  code === BLANK || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB ? 1 : 0,
);

/** 1: a string goes on with this byte as it is. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= BLANK && code !== QUOTE && code !== BACKSLASH ? 1 : 0,
);

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

function isHexDigit(code: number): boolean {
  const lower = code | BLANK;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66);
}

/** A place in bytes that JSON.parse would read or refuse as text; each step refuses what it would, with a SyntaxError too. */
export class JsonScanner {
  readonly #bytes: Buffer;
  #at: number;
  #spareBytes = 0;

  constructor(bytes: Buffer, from = 0) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /** The index of the next byte. */
  get at(): number {
    return this.#at;
  }

  /**
   * The scanned bytes that compact JSON of the same value does without: blanks, and what makes escapes and
   * numbers longer than one character. A key that an object repeats is not among them.
   */
  get spareBytes(): number {
    return this.#spareBytes;
  }

  /** Goes over blanks; the byte behind them, a negative number at the end. */
  next(): number {
    this.#at = this.#behindBlanks(this.#at);
    return this.#bytes[this.#at] ?? END;
  }

  /** Goes over this one character, with the blanks before it; false, and only over the blanks, when it is another. */
  take(code: number): boolean {
    if (this.next() !== code) return false;
    this.#at += 1;
    return true;
  }

  /** Goes over this one character; it must be there. */
  expect(code: number): void {
    if (!this.take(code)) this.#refuse(this.#at);
  }

  /** Nothing but blanks may be left. */
  expectEnd(): void {
    if (this.next() !== END) this.#refuse(this.#at);
  }

  /** Goes over a string and gives it; undefined when it has more than `maxLength` characters for certain. */
  takeString(maxLength: number): string | undefined {
    this.next();
    const from = this.#at;
    this.#at = this.#behindString(from);
    if (this.#at - from > maxLength * LONGEST_ESCAPE + 2) return undefined;
    return JSON.parse(this.#bytes.toString("utf8", from, this.#at)) as string;
  }

  /** Goes over one value of any kind. */
  skipValue(): void {
    const bytes = this.#bytes;
    const closers: number[] = [];
    let at = this.#at;
    do {
      at = this.#behindBlanks(at);
      const code = bytes[at];
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        const closer = code + TO_CLOSER;
        at = this.#behindBlanks(at + 1);
        if (bytes[at] !== closer) {
          closers.push(closer);
          if (code === OPEN_BRACE) at = this.#behindKey(at);
          continue;
        }
        at += 1;
      } else at = this.#behindScalar(at);
      at = this.#behindClosers(at, closers);
    } while (closers.length > 0);
    this.#at = at;
  }

  /**
   * Skips what follows a value: closers, as many as there are, and the comma and the key before the next
   * value.
   */
  #behindClosers(from: number, closers: number[]): number {
    let at = from;
    for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
      at = this.#behindBlanks(at);
      const code = this.#bytes[at];
      if (code === COMMA)
        return closer === CLOSE_BRACE ? this.#behindKey(this.#behindBlanks(at + 1)) : at + 1;
      if (code !== closer) this.#refuse(at);
      closers.pop();
      at += 1;
    }
    return at;
  }

  #behindBlanks(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (IS_BLANK[bytes[at] ?? 0] === 1) at += 1;
    if (at !== from) this.#spareBytes += at - from;
    return at;
  }

  #behindKey(from: number): number {
    const at = this.#behindBlanks(this.#behindString(from));
    if (this.#bytes[at] !== COLON) this.#refuse(at);
    return at + 1;
  }

  #behindScalar(from: number): number {
    const code = this.#bytes[from] ?? END;
    if (code === QUOTE) return this.#behindString(from);
    return code === MINUS || isDigit(code) ? this.#behindNumber(from) : this.#behindLiteral(from);
  }

  #behindLiteral(from: number): number {
    const literal = LITERALS.find((word) => word.every((code, index) => this.#bytes[from + index] === code));
    return literal === undefined ? this.#refuse(from) : from + literal.length;
  }

  #behindNumber(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    if (bytes[at] === MINUS) at += 1;
    at = bytes[at] === ZERO ? at + 1 : this.#behindDigits(at);
    if (bytes[at] === POINT) at = this.#behindDigits(at + 1);
    if (((bytes[at] ?? 0) | BLANK) === LETTER_E) {
      const sign = bytes[at + 1];
      at = this.#behindDigits(sign === PLUS || sign === MINUS ? at + 2 : at + 1);
    }
    this.#spareBytes += at - from - 1;
    return at;
  }

  /** Skips digits, at least one. */
  #behindDigits(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (isDigit(bytes[at] ?? END)) at += 1;
    return at === from ? this.#refuse(at) : at;
  }

  #behindString(from: number): number {
    const bytes = this.#bytes;
    if (bytes[from] !== QUOTE) this.#refuse(from);
    let at = from + 1;
    for (;;) {
      while (IS_PLAIN[bytes[at] ?? 0] === 1) at += 1;
      if (bytes[at] === QUOTE) return at + 1;
      const end = this.#behindEscape(at);
      this.#spareBytes += end - at - 1;
      at = end;
    }
  }

  #behindEscape(backslash: number): number {
    const bytes = this.#bytes;
    if (bytes[backslash] !== BACKSLASH) this.#refuse(backslash);
    const letter = bytes[backslash + 1] ?? END;
    if (letter !== LETTER_U) return SHORT_ESCAPES.has(letter) ? backslash + 2 : this.#refuse(backslash + 1);
    const end = backslash + LONGEST_ESCAPE;
    for (let at = backslash + 2; at < end; at += 1) if (!isHexDigit(bytes[at] ?? 0)) this.#refuse(at);
    return end;
  }

  #refuse(at: number): never {
    const found = at < this.#bytes.length ? "Unexpected token" : "Unexpected end of JSON input";
    throw new SyntaxError(`${found} at position ${at}`);
  }
}
