/** What is written down of each request. */
export interface LoggedRequest {
  /** From 0, in the order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Below the prefix, without its query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it brought a key, and whether that was the right one. */
  readonly key: 'right' | 'wrong' | 'none';
  /** The form as it was sent. */
  readonly body: string;
}
