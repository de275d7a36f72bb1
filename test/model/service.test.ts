import { expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { ServiceError } from '../../src/model/service.ts';

test('a ServiceError is a WebsitesError that knows whether the request was carried out', () => {
  const details = {
    outcome: 'refused',
    blame: 'record',
    status: 422,
    attempts: 2,
    sentAt: 5,
    fields: { domain: ['Taken.'] },
    remedy: 'Choose another.',
  } as const;
  const error = new ServiceError('service-refused', 'Taken.', details);
  expect(error).toBeInstanceOf(WebsitesError);
  expect(error).toMatchObject({ code: 'service-refused', exit: 1, ...details });
});

test('without an answer there is no status and there are no words', () => {
  const error = new ServiceError('service-unreachable', 'Reset.', {
    outcome: 'unknown',
    blame: 'service',
    attempts: 1,
  });
  expect(error).toMatchObject({ status: undefined, sentAt: undefined, fields: {} });
});
