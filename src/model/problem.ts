/** A place in a user's file; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, or doubtful, with what the user wrote. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly remedy?: string;
  readonly place?: Place;
  /** The source line at `place`, and how many characters of it the caret underlines. */
  readonly excerpt?: { readonly text: string; readonly length: number };
}

/** `file:line:column`, as editors and CI systems read it. */
export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}
