// Whether a text has a part, or a list an element. Callers choose the texts and the parts, so no choice of them may cost more than a few
// times reading them (decision 114). V8's own search is linear in the text for parts of up to 250 characters, for which it keeps all
// of a Boyer-Moore table; for longer ones it is quadratic where the text nearly matches everywhere. What is looked into again and again is
// indexed, so that hundreds of conditions on one text cost little more than one.
import { SuffixIndex } from "./suffix-index.ts";

/** V8's kBMMaxShift: of a longer part its tables know the end alone. */
const WHOLE_TABLE_CHARACTERS = 250;
/** Texts and lists below it are searched as they are: it costs less than to find out whether they are known. */
const LEAST_LONG = 1_024;
/** An index of a text costs as much as some twenty searches at their worst. */
const SEARCHES_BEFORE_INDEX = 20;
/** V8's kMaxHashCalcLength: the hash of a longer text is its length, so texts of one length are compared to their ends to be told apart. */
const HASHED_CHARACTERS = 16_383;
/** Of texts that are remembered, all together: more than a profile or a call has. */
const MAX_REMEMBERED_CHARACTERS = 262_144;

/** One text that is looked into. */
class Text {
  readonly #text: string;
  #searches = 0;
  #index: SuffixIndex | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get isIndexed(): boolean {
    return this.#index !== undefined;
  }

  includes(part: string): boolean {
    this.#searches += 1;
    if (this.#searches > SEARCHES_BEFORE_INDEX) this.#index ??= new SuffixIndex(this.#text);
    if (this.#index !== undefined) return this.#index.includes(part);
    return part.length <= WHOLE_TABLE_CHARACTERS ? this.#text.includes(part) : this.#includesLong(part);
  }

  /** By the places where its beginning stands. When these are too many to look at, the text repeats itself and is indexed. */
  #includesLong(part: string): boolean {
    const text = this.#text;
    const beginning = part.slice(0, WHOLE_TABLE_CHARACTERS);
    let left = text.length;
    for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
      if (text.startsWith(part, at)) return true;
      left -= part.length;
      if (left < 0) {
        this.#index = new SuffixIndex(text);
        return this.#index.includes(part);
      }
    }
    return false;
  }
}

/** Remembers the texts and lists that were looked into last. */
export class Contents {
  readonly #texts = new Map<string, Text>();
  #characters = 0;
  #lookUps = 0;
  /** The long text that was looked into last: most conditions ask for the very same string again, which is no comparison. */
  #last: { readonly given: string; readonly text: Text } | undefined;
  readonly #lists = new WeakMap<readonly unknown[], Set<unknown>>();

  /** How often a text was looked for among those that are remembered: it is compared with each that is as long. */
  get lookUps(): number {
    return this.#lookUps;
  }

  /** How many texts are indexed. */
  get indexed(): number {
    return [...this.#texts.values()].filter(({ isIndexed }) => isIndexed).length;
  }

  /** `part` has at most 1,000 characters. */
  textHas(text: string, part: string): boolean {
    const isCheap = text.length < LEAST_LONG && part.length <= WHOLE_TABLE_CHARACTERS;
    return isCheap ? text.includes(part) : this.#textOf(text).includes(part);
  }

  listHas(list: readonly unknown[], element: unknown): boolean {
    if (list.length < LEAST_LONG) return list.includes(element);
    let elements = this.#lists.get(list);
    if (elements === undefined) {
      elements = new Set(list);
      this.#lists.set(list, elements);
    }
    return elements.has(element);
  }

  #textOf(text: string): Text {
    if (text.length <= HASHED_CHARACTERS) return this.#remembered(text);
    if (this.#last?.given !== text) this.#last = { given: text, text: this.#remembered(text) };
    return this.#last.text;
  }

  #remembered(text: string): Text {
    this.#lookUps += 1;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#characters + text.length > MAX_REMEMBERED_CHARACTERS) {
      this.#texts.clear();
      this.#characters = 0;
    }
    const created = new Text(text);
    this.#texts.set(text, created);
    this.#characters += text.length;
    return created;
  }
}
