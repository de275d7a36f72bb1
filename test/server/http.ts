/** Sends requests over node:http, which neither adds nor corrects anything. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { FORM_TYPE } from '../../src/model/contract.ts';

export const PATH = '/api/v1/websites';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  readonly body: any;
  readonly text: string;
}

export interface Call {
  readonly key?: string;
  /** A form, or a raw body. */
  readonly form?: Readonly<Record<string, string>> | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export function call(url: string, method: string, path: string, options: Call = {}): Promise<Reply> {
  const { key, form, headers = {} } = options;
  const raw = typeof form === 'string' || Buffer.isBuffer(form);
  const body = form === undefined || raw ? form : new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      method,
      agent: false,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': FORM_TYPE }),
        ...headers,
      },
    });
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = String(response.headers['content-type']).startsWith('application/json');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: json && text !== '' ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends `bytes` to the port of `url` and returns everything until the connection ends. */
export function converse(url: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    // A reset after the answer counts as an end.
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    socket.write(bytes);
  });
}
