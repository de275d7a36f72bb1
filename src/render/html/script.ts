/** The page's script, put together from its subjects. It makes text nodes of data, and never markup. */
import { DETAILS } from './script-details.ts';
import { FILTER } from './script-filter.ts';
import { KEYS } from './script-keys.ts';
import { LIST } from './script-list.ts';
import { MODEL } from './script-model.ts';

export const SCRIPT = `(() => {
'use strict';
${[MODEL, FILTER, DETAILS, LIST, KEYS].join('\n')}
})();
`;
