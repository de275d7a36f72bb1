/** What the interface of the service states, for the client and the server (specification, sections 4 and 8). */

export const WEBSITES_PATH = '/api/v1/websites';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 50;
export const LARGEST_PAGE = 100;

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The form of a record's id: no text that would leave its place in a path, whoever wrote it. */
export const RECORD_ID = /^(?!\.{1,2}$)[!-~]+$/;
