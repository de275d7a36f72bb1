import type { Settings } from '../model/field-table.ts';
import { formatSecretRef, isSecretRef, SENSITIVE } from '../model/secret.ts';
import type { DesiredWebsite, Provenance } from '../model/website.ts';
import { MAX_WHOLE, placeText, valueText } from './changes.ts';
import { csvPieces } from './csv.ts';
import { type Block, type Document, listOf } from './document.ts';
import { yamlFile } from './export/yaml.ts';
import { count, prose, safe, safeDomain, say, type Text } from './sanitize.ts';
import { linedUp } from './text.ts';

export interface Explained {
  readonly website: DesiredWebsite;
  /** Missing if the places of values were not kept in memory. */
  readonly provenance?: readonly Provenance[] | undefined;
}

/** Hides passwords that are in a file as plain text. */
function shown(settings: Settings): Settings {
  const { password } = settings;
  const isPlain = isSecretRef(password) && 'yaml' in password;
  return isPlain ? { ...settings, password: { env: SENSITIVE } } : settings;
}

export function resolvedYaml(all: readonly DesiredWebsite[]): Iterable<string> {
  const websites = all.map((website) => ({ ...website, settings: shown(website.settings) }));
  return yamlFile({}, {}, { websites });
}

export function resolvedCsv(websites: readonly DesiredWebsite[]): Iterable<string> {
  const rows = websites.map(({ domain, group = '', state, settings, protect }) => {
    return { cells: { domain, group, state, protect: protect ? 'true' : '' }, settings: shown(settings) };
  });
  return csvPieces(['domain', 'group', 'state', 'protect'], rows);
}

export function resolvedRecord({ website, provenance: origins }: Explained) {
  const { domain, group, state, protect, settings, source } = website;
  return { domain, group, state, protect, settings: shown(settings), source, origins };
}

export function explainedDocument(all: readonly Explained[]): Document {
  return {
    headline: count(all.length, 'website'),
    body: all.map(explainedBlock),
    summary: [all.length === 0 && say`No websites matched.`],
  };
}

function explainedBlock({ website, provenance = [] }: Explained): Block {
  const { domain, group, state, source, settings } = website;
  const of = group && say`, group ${safe(group)}`;
  const title = say`${safeDomain(domain)}${state === 'absent' && ' (absent)'} (${placeText(source)}${of})`;
  const rows = provenance.map((one): Text[] => {
    const level = {
      group: say`group ${safe(one.group ?? '')}`,
      record: say`this website`,
      file: say`defaults`,
    };
    return [say`${one.field}`, writtenText(settings, one), placeText(one.place), level[one.level]];
  });
  return listOf(title, linedUp(rows));
}

function writtenText(settings: Settings, { field }: Provenance): Text {
  const value = settings[field];
  // An inherited password applies only to records whose privacy is `password`.
  if (value === undefined) return say`not used`;
  if (!isSecretRef(value)) return valueText(field, value, MAX_WHOLE);
  return 'yaml' in value ? prose(SENSITIVE) : safe(formatSecretRef(value));
}
