/** What holds where nothing else is said; the help tells of it too. */

export const PARALLELISM = 10;
/** For one operation with its retries. */
export const TIMEOUT_MS = 120_000;
export const MAX_PARALLELISM = 256;
export const REQUEST_TIMEOUT_MS = 30_000;
/** The longest that may be set for one request. */
export const MAX_REQUEST_TIMEOUT_MS = 600_000;
/** That the service may ask one operation to wait, in sum. */
export const MAX_WAIT_MS = 15 * 60_000;
export const MAX_AGE_MS = 24 * 3600 * 1000;

/** The version of this package; the build puts it in. */
export const VERSION: string = process.env.WEBSITES_BUILD_VERSION ?? '0.0.0';
