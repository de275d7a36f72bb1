/** The elements of the page: those that its markup has, and how others are made. */

/** By their ids in the markup (`changes.ts`, `plan/html.ts`), of their kinds where that matters. */
interface Elements extends Readonly<Record<Bar | Pane, HTMLElement>> {
  readonly search: HTMLInputElement;
  readonly grouped: HTMLInputElement;
  readonly field: HTMLSelectElement;
  readonly site: HTMLSelectElement;
}

type Bar = 'toolbar' | 'found' | 'actions' | 'risks' | 'origins' | 'clear';
type Pane = 'data' | 'panes' | 'list' | 'rows' | 'none' | 'details';

/** An element of the markup; a page without changes has none but the data. */
export function $<Id extends keyof Elements>(id: Id): Elements[Id] {
  return document.getElementById(id) as Elements[Id];
}

/** An element with text or other elements in it. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}

export function badge(risk: string): HTMLElement {
  return el('span', `badge ${risk}`, risk);
}
