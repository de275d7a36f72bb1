/** What a browser is given beside the markup: `browser/`, which the build puts here as text (scripts/page-texts.mjs). */
declare const PAGE_SCRIPT: string;
declare const PAGE_STYLE: string;

export const SCRIPT = PAGE_SCRIPT;
export const STYLE = PAGE_STYLE;
