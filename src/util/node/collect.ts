/** Bytes that come in parts, joined as they come: however small the parts are, they take the room of what they hold. */
export interface Collected {
  /** Takes in a part as far as there is room; false where it is cut off. */
  add(part: Uint8Array): boolean;
  bytes(): Buffer;
}

/** Collects `most` bytes at the most. */
export function collect(most: number): Collected {
  let room = Buffer.alloc(0);
  let size = 0;
  return {
    add(part) {
      const taken = part.subarray(0, most - size);
      if (size + taken.length > room.length) {
        const larger = Buffer.allocUnsafe(Math.min(most, Math.max(2 * room.length, size + taken.length)));
        room.copy(larger, 0, 0, size);
        room = larger;
      }
      room.set(taken, size);
      size += taken.length;
      return taken.length === part.length;
    },
    bytes: () => room.subarray(0, size),
  };
}
