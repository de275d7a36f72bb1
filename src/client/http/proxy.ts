/** Reads the proxy environment variables like curl (decision: "The API key goes to one place"). */
import { BlockList, isIP } from 'node:net';
import { unescape as decode } from 'node:querystring';
import { WebsitesError } from '../../model/errors.ts';
import type { Environment } from '../../util/environment.ts';

/**
 * Returns `undefined` without a proxy. Throws `usage` if the proxy is not an http URL; the error does not contain its
 * credentials.
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const text = read(name, environment);
  const isLoopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (text === '' || isLoopback || isExcepted(url, read('no_proxy', environment))) return undefined;
  const proxy = parsed(text);
  if (proxy?.protocol === 'http:') return proxy;
  throw new WebsitesError(
    'usage',
    `The proxy URL in ${name.toUpperCase()} is not valid, or does not begin with http://.`,
    {
      remedy: `Set ${name.toUpperCase()} to a URL such as http://proxy.example.com:3128, with its password percent-encoded.`,
    },
  );
}

/** Returns the credentials of the proxies in `environment`, which no error may contain. */
export function proxySecrets(environment: Environment): string[] {
  return ['http_proxy', 'https_proxy'].flatMap((name) => {
    const proxy = parsed(read(name, environment));
    const login = proxy && proxyLogin(proxy);
    return login ? [decode(proxy.password), login.slice('Basic '.length)] : [];
  });
}

function read(name: string, environment: Environment): string {
  return environment[name] || environment[name.toUpperCase()] || '';
}

function parsed(text: string): URL | undefined {
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // An unescaped / ? or # in the password ends the host early. A part of the password would then go to DNS and into
  // errors.
  return [url.pathname, url.search, url.hash].some((part) => part.includes('@')) ? undefined : url;
}

export function proxyLogin(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  const login = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/** `NO_PROXY` lists hosts and networks. A host includes its subdomains and may have a port; `*` matches every host. */
function isExcepted(url: URL, exceptions: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((exception) => {
      if (exception === '*' || exception === bareHost(url) || isIn(exception, bareHost(url))) return true;
      const [, name = '', onlyPort = port] =
        /^(?:\*?\.)?\[?([^:]+|[^\]]*:[^\]]*)\]?(?::(\d+))?$/.exec(exception) ?? [];
      return name !== '' && onlyPort === port && `.${bareHost(url)}`.endsWith(`.${name}`);
    });
}

function isIn(network: string, host: string): boolean {
  const [, start = '', bits] = /^(.+)\/(\d{1,3})$/.exec(network) ?? [];
  const version = isIP(host);
  if (version === 0 || isIP(start) !== version || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(start, Number(bits), `ipv${version as 4 | 6}`);
  return list.check(host, `ipv${version as 4 | 6}`);
}

export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
