/** The part of a terminal that our output uses. */

interface Screen {
  /** All lines, also those scrolled away, without the spaces at their ends. */
  readonly lines: readonly string[];
  readonly cursorIsShown: boolean;
  /** The column of the cursor, from 0. */
  readonly column: number;
}

const ESCAPE = '\u001b';
const TOKEN = new RegExp(`${ESCAPE}\\[([?\\d;]*)([A-Za-z])|${ESCAPE}([78])|[^]`, 'g');

const ROWS = 30;

export function screenOf(output: string): Screen {
  const grid: string[][] = [[]];
  let [row, column, top] = [0, 0, 0];
  let saved = { row: 0, column: 0 };
  let cursorIsShown = true;

  const line = (): string[] => {
    while (grid.length <= row) grid.push([]);
    return grid[row] ?? [];
  };
  const controls: Readonly<Record<string, (number: number, parameter: string) => void>> = {
    A: (number) => {
      row = Math.max(top, row - Math.max(1, number));
    },
    C: (number) => {
      column += Math.max(1, number);
    },
    G: (number) => {
      column = Math.max(1, number) - 1;
    },
    K: (number) => {
      line().splice(number === 2 ? 0 : column);
    },
    J: () => {
      line().splice(column);
      grid.splice(row + 1);
    },
    h: (_, parameter) => {
      cursorIsShown ||= parameter === '?25';
    },
    l: (_, parameter) => {
      cursorIsShown &&= parameter !== '?25';
    },
    m: () => undefined,
  };
  function control(letter: string, parameter: string): void {
    const act = controls[letter];
    if (act === undefined) throw new Error(`The screen does not know ESC[${parameter}${letter}.`);
    act(Number.parseInt(parameter, 10) || 0, parameter);
  }
  function put(character: string): void {
    if (character === '\r') column = 0;
    else if (character === '\n') {
      row += 1;
      top = Math.max(top, row - ROWS + 1);
      line();
    } else {
      const cells = line();
      while (cells.length < column) cells.push(' ');
      cells[column] = character;
      column += 1;
    }
  }
  for (const [text, parameter = '', letter, save] of output.matchAll(TOKEN)) {
    if (letter !== undefined) control(letter, parameter);
    else if (save === '7') saved = { row: row - top, column };
    else if (save === '8') [row, column] = [top + saved.row, saved.column];
    else put(text);
  }
  return { lines: grid.map((cells) => cells.join('').trimEnd()), cursorIsShown, column };
}
