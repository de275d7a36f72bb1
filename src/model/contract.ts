/** Facts of the API that client and server share (specification, sections 4 and 8). */

export const WEBSITES_PATH = '/api/v1/websites';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Matches a valid record ID. It contains nothing that could change the path of a URL. */
export const RECORD_ID = /^(?!\.{1,2}$)[!-~]+$/;
