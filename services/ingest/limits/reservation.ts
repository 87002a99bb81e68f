/** Bytes that requests and unread answers hold, by source where it is known. */
export interface Room {
  readonly maxBytes: number;
  readonly maxBytesOfSource: number;
  heldBytes: number;
  readonly ofSource: Map<string, number>;
}

/** Bytes that one request holds; they are given back at its end. */
export class Reservation {
  readonly #room: Room;
  #heldBytes = 0;
  #owner: string | undefined;
  #isOverShare = false;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Whether the last "false" was for the source's share. */
  get isOverShare(): boolean {
    return this.#isOverShare;
  }

  /** Counts `bytes` more; false when there is no room for them, but for a request alone, or they are over the source's share. */
  grow(bytes: number): boolean {
    if (this.#owner !== undefined && !this.#fitsShare(this.#owner, bytes)) return false;
    const { heldBytes, maxBytes } = this.#room;
    if (heldBytes !== this.#heldBytes && heldBytes + bytes > maxBytes) return false;
    this.#count(bytes);
    return true;
  }

  /** Counts what is held, and will be, as this source's; false when that is over its share. */
  assign(sourceId: string): boolean {
    if (this.#owner === sourceId) return true;
    if (!this.#fitsShare(sourceId, 0)) return false;
    this.#owner = sourceId;
    countOf(this.#room, sourceId, this.#heldBytes);
    return true;
  }

  release(): void {
    this.#count(-this.#heldBytes);
  }

  #count(bytes: number): void {
    this.#heldBytes += bytes;
    this.#room.heldBytes += bytes;
    if (this.#owner !== undefined) countOf(this.#room, this.#owner, bytes);
  }

  /** A request alone may have more than the share, or the room: it could never be served otherwise. */
  #fitsShare(sourceId: string, bytes: number): boolean {
    const own = this.#owner === sourceId ? this.#heldBytes : 0;
    const othersBytes = (this.#room.ofSource.get(sourceId) ?? 0) - own;
    this.#isOverShare =
      othersBytes > 0 && othersBytes + this.#heldBytes + bytes > this.#room.maxBytesOfSource;
    return !this.#isOverShare;
  }
}

function countOf({ ofSource }: Room, sourceId: string, bytes: number): void {
  const heldBytes = (ofSource.get(sourceId) ?? 0) + bytes;
  if (heldBytes === 0) ofSource.delete(sourceId);
  else ofSource.set(sourceId, heldBytes);
}
