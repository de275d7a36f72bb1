/** Records as they are put into a YAML file that somebody else wrote. */
import { PRIVACY, type Settings } from '../model/field-table.ts';
import type { DesiredWebsite } from '../model/website.ts';
import type { ExportedWebsite } from './export/export.ts';
import { type ExportEntry, entriesOf } from './export/values.ts';
import { entryText, schemaLine, yamlMap, yamlText, yamlValue } from './export/yaml.ts';

/** Whether a record takes lines of its own, or stands between brackets. */
export type RecordStyle = 'block' | 'flow';

/** A record that was declared somewhere: what its settings say that `defaults` do not, empty values too. */
export function declaredYaml(website: DesiredWebsite, defaults: Settings, style: RecordStyle): string {
  const { domain, state, protect, settings } = website;
  if (state === 'absent') return recordYaml(domain, [['state', 'absent']], style);
  const entries = entriesOf(settings, defaults);
  return recordYaml(domain, protect ? [...entries, ['protect', true]] : entries, style);
}

/** A record as the service has it. */
export function exportedYaml(
  { domain, settings }: ExportedWebsite,
  defaults: Settings,
  style: RecordStyle,
): string {
  const entries = entriesOf({ ...withoutPassword(settings, defaults), ...settings }, defaults);
  return recordYaml(domain, entries, style);
}

/** What says that a record has no password where it would be given that of the defaults. */
function withoutPassword({ privacy }: Settings, defaults: Settings): Settings {
  return privacy === PRIVACY.password && defaults.password !== undefined ? { password: null } : {};
}

function recordYaml(domain: string, settings: readonly ExportEntry[], style: RecordStyle): string {
  if (settings.length === 0) return yamlText(domain);
  const entries: ExportEntry[] = [['domain', domain], ...settings];
  return style === 'block'
    ? entries.map((entry) => entryText(entry, '')).join('\n')
    : `{ ${entries.map(([key, written]) => `${key}: ${yamlValue(written)}`).join(', ')} }`;
}

/** A group of records, each the YAML of one. */
export function groupYaml(name: string, records: readonly string[], style: RecordStyle): string {
  if (style === 'flow') return `{ group: ${yamlText(name)}, websites: [${records.join(', ')}] }`;
  const items = records.map((record) => `  - ${record.replaceAll('\n', '\n    ')}`);
  return [`group: ${yamlText(name)}`, 'websites:', ...items].join('\n');
}

/** A file that has no records yet; `base` is where the service is, if that is to be written down. */
export function newYaml(defaults: Settings, schema: string | undefined, base?: string): string {
  return [
    schemaLine(schema),
    'version: 1\n',
    ...yamlMap('service', base === undefined ? [] : [['base_url', base]]),
    ...yamlMap('defaults', entriesOf(defaults)),
    '\nwebsites: []\n',
  ].join('');
}
