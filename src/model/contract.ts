/** Facts of the interface that the client and the server share (specification, sections 4 and 8). */

export const WEBSITES_PATH = '/api/v1/websites';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The form of a record's ID. It cannot leave its place in a path. */
export const RECORD_ID = /^(?!\.{1,2}$)[!-~]+$/;
