/** The start of the page's script, which makes text nodes of data, and never markup. */
import { $ } from './elements.ts';
import { onKey } from './keys.ts';
import { drawSoon, layOut, print, refilter } from './list.ts';
import { addFilters } from './toolbar.ts';

// A page without changes has no list.
if ($('list')) {
  for (const id of ['toolbar', 'panes'] as const) $(id).hidden = false;
  addFilters();
  refilter();
  document.addEventListener('keydown', onKey);
  window.addEventListener('scroll', drawSoon, { passive: true });
  window.addEventListener('resize', layOut);
  window.addEventListener('beforeprint', () => print(true));
  window.addEventListener('afterprint', () => print(false));
}
