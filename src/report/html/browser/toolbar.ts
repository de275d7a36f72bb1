/** Search and filters, as they are set. */
import { $, el } from './elements.ts';
import { filter } from './filter.ts';
import { refilter } from './list.ts';
import { data, groups } from './model.ts';

/** Shows what holds every word of a text. */
export function search(text: string): void {
  if ($('search').value !== text) $('search').value = text;
  filter.words = text.toLowerCase().match(/\S+/g) ?? [];
  refilter();
}

export function clearFilter(): void {
  filter.action.clear();
  filter.risk.clear();
  filter.origin.clear();
  filter.field = $('field').value = '';
  filter.site = undefined;
  $('site').value = '';
  for (const chip of document.querySelectorAll('.chip')) chip.setAttribute('aria-pressed', 'false');
  search('');
}

export function addFilters(): void {
  addChips('action', data.actions);
  addChips('risk', data.risks);
  addChips('origin', data.origins);
  for (const name of data.fields) addOption('field', name, name);
  for (const [index, name] of data.sites.entries()) addOption('site', name, String(index));
  addOption('site', '(no group)', '-1');
  $('site').hidden = data.sites.length === 0;
  $('site').addEventListener('change', () => {
    const { value } = $('site');
    filter.site = value === '' ? undefined : Number(value);
    refilter();
  });
  $('field').addEventListener('change', () => {
    filter.field = $('field').value;
    refilter();
  });
  $('search').addEventListener('input', () => search($('search').value));
  $('grouped').addEventListener('change', () => {
    filter.grouped = $('grouped').checked;
    refilter();
  });
  $('clear').addEventListener('click', clearFilter);
}

function addOption(select: 'field' | 'site', name: string, value: string): void {
  const option = el('option', '', name);
  option.value = value;
  $(select).append(option);
}

function addChips(name: 'action' | 'risk' | 'origin', values: readonly string[]): void {
  for (const value of values) {
    const same = groups.filter((group) => group[name] === value);
    const count = same.reduce((sum, { items }) => sum + items.length, 0);
    const shown = name === 'action' ? data.names[value as keyof typeof data.names] : value;
    const chip = el('button', 'chip', shown, el('b', '', String(count)));
    chip.type = 'button';
    chip.setAttribute('aria-pressed', 'false');
    chip.addEventListener('click', () => {
      if (!filter[name].delete(value)) filter[name].add(value);
      chip.setAttribute('aria-pressed', String(filter[name].has(value)));
      refilter();
    });
    $(`${name}s`).append(chip);
  }
}
