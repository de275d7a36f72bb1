/** A target as it can be listed: without its key, and without a login or a query in its address. */
export interface ListedTarget {
  readonly name: string;
  readonly base_url: string | undefined;
  readonly files: readonly string[];
  /** Where its key comes from. */
  readonly keySource: string | undefined;
}
