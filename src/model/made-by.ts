/** Who made a plan or a run, as far as the environment shows: never verified and never required. */
export interface MadeBy {
  /** A login of GitHub or GitLab; elsewhere `user@host`. */
  readonly actor?: string;
  readonly commit?: string;
  /** The address of the CI job. */
  readonly url?: string;
}
