// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is a placeholder here
import { expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { apiKeyFrom } from '../../src/model/secret.ts';

test.each([
  ['wsk_abc', 'wsk_abc'],
  ['wsk_abc\n', 'wsk_abc'],
  [' wsk_abc \r\n', 'wsk_abc'],
  [undefined, undefined],
  ['', undefined],
  [' \n', undefined],
])('the API key is read from %j as %j', (text, key) => {
  expect(apiKeyFrom(text, 'WEBSITES_API_KEY')).toBe(key);
});

test.each([
  ['"wsk_abc"', 'The API key in WEBSITES_API_KEY is in quotes.'],
  ["'wsk_abc'\n", 'The API key in WEBSITES_API_KEY is in quotes.'],
  ['<API_KEY>', 'The API key in WEBSITES_API_KEY is a placeholder.'],
  ['${API_KEY}', 'The API key in WEBSITES_API_KEY is a placeholder.'],
  ['$API_KEY', 'The API key in WEBSITES_API_KEY is a placeholder.'],
  ['$ANSIBLE_VAULT;1.1;AES256\n62\n', 'The API key in WEBSITES_API_KEY is encrypted with Ansible Vault.'],
  ['changeme', 'The API key in WEBSITES_API_KEY is a placeholder.'],
  ['your-api-key-goes-here', 'The API key in WEBSITES_API_KEY is a placeholder.'],
])('the API key %j is an error', (text, message) => {
  const read = () => apiKeyFrom(text, 'WEBSITES_API_KEY');
  expect(read).toThrow(WebsitesError);
  expect(read).toThrow(message);
});
