/** Whether a text fits a pattern, in which `*` stands for any run of characters. It never takes a step back. */
export function glob(pattern: string): (text: string) => boolean {
  const [head = '', ...pieces] = pattern.split(/\*+/);
  const tail = pieces.pop();
  if (tail === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail)) return false;
    const end = text.length - tail.length;
    let at = head.length;
    for (const piece of pieces) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= end;
  };
}
