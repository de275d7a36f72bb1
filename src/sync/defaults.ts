export const PARALLELISM = 10;
export const TIMEOUT_MS = 120_000;
export const MAX_PARALLELISM = 256;
export const REQUEST_TIMEOUT_MS = 30_000;
export const MAX_REQUEST_TIMEOUT_MS = 600_000;
/** Maximum sum of the waits that the service may ask of one operation. */
export const MAX_WAIT_MS = 15 * 60_000;
export const MAX_AGE_MS = 24 * 3600 * 1000;

export const VERSION: string = process.env.WEBSITES_BUILD_VERSION ?? '0.0.0';
