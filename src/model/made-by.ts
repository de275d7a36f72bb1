/** The author of a plan or a run, as far as the environment shows: never verified and never required. */
export interface MadeBy {
  /** A login of GitHub or GitLab; otherwise `user@host`. */
  readonly actor?: string | undefined;
  readonly commit?: string | undefined;
  readonly url?: string | undefined;
}
