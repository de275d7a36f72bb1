export interface LoggedRequest {
  /** Counts from 0, in the order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Relative to the prefix, without its query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly key: 'right' | 'wrong' | 'none';
  readonly body: string;
}
