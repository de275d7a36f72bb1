/** Pages in a real browser: Chromium without a window, driven over a pipe (Chrome DevTools Protocol). */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser's program, or undefined if none is installed. */
export const CHROMIUM = PATHS.find((path) => existsSync(path));

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--hide-scrollbars',
  '--force-device-scale-factor=1',
  '--remote-debugging-pipe',
];

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

export interface View {
  readonly width: number;
  readonly height: number;
  readonly dark: boolean;
  readonly script: boolean;
}

const DESKTOP: View = { width: 1280, height: 900, dark: false, script: true };

export interface Page {
  /** The value of an expression, which may be a promise. Throws the page's exceptions. */
  evaluate<T>(expression: string): Promise<T>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  pdf(): Promise<Buffer>;
  /** Messages of the page's console and its exceptions, including policy violations. */
  readonly complaints: readonly string[];
  /** Every requested address except the page's own. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export interface Browser {
  open(file: string, view?: Partial<View>): Promise<Page>;
  close(): Promise<void>;
}

/** Starts the browser with an empty profile. */
export async function startBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'websites-chromium-'));
  const child = spawn(CHROMIUM ?? 'chromium', [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const wire = createWire(child);
  return {
    open: (file, view) => openPage(wire, file, { ...DESKTOP, ...view }),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await wire.send('Browser.close').catch(() => undefined);
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Send = (
  method: string,
  params?: Record<string, unknown>,
  sessionId?: string,
) => Promise<Record<string, unknown>>;
type Listen = (sessionId: string, listener: (method: string, params: unknown) => void) => void;

/** Messages are JSON followed by a NUL, to descriptor 3 and from descriptor 4. */
function createWire(child: ChildProcess): { readonly send: Send; readonly listen: Listen } {
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<
    number,
    { resolve: (answer: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  const listeners = new Map<string, (method: string, params: unknown) => void>();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) receive(JSON.parse(message) as Answer & { sessionId?: string });
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'));
  });
  const receive = (answer: Answer & { sessionId?: string }): void => {
    if (answer.id === undefined) {
      listeners.get(answer.sessionId ?? '')?.(answer.method ?? '', answer.params);
      return;
    }
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error) caller?.reject(new Error(answer.error.message));
    else caller?.resolve(answer.result ?? {});
  };
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        input.write(`${JSON.stringify({ id: last, method, params, ...(sessionId ? { sessionId } : {}) })}\0`);
      }),
    listen: (sessionId, listener) => listeners.set(sessionId, listener),
  };
}

async function openPage(
  { send, listen }: { send: Send; listen: Listen },
  file: string,
  view: View,
): Promise<Page> {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as {
    sessionId: string;
  };
  const call: Send = (method, params) => send(method, params, sessionId);
  const complaints: string[] = [];
  const requests: string[] = [];
  const url = pathToFileURL(file).href;
  const loaded = new Promise<void>((resolve) => {
    listen(sessionId, (method, params) => {
      if (method === 'Page.loadEventFired') resolve();
      if (/^(?:Log\.entryAdded|Runtime\.(?:exceptionThrown|consoleAPICalled))$/.test(method)) {
        complaints.push(JSON.stringify(params));
      }
      if (method === 'Network.requestWillBeSent') {
        const asked = (params as { request: { url: string } }).request.url;
        if (asked !== url) requests.push(asked);
      }
    });
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await call(`${domain}.enable`);
  await call('Emulation.setDeviceMetricsOverride', {
    width: view.width,
    height: view.height,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await call('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: view.dark ? 'dark' : 'light' }],
  });
  await call('Emulation.setScriptExecutionDisabled', { value: !view.script });
  await call('Page.navigate', { url });
  await loaded;
  const bytes = (result: Record<string, unknown>): Buffer => Buffer.from(result.data as string, 'base64');
  return {
    complaints,
    requests,
    async evaluate<T>(expression: string): Promise<T> {
      const answer = await call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      const { result, exceptionDetails } = answer as {
        result: { value: T };
        exceptionDetails?: { text: string; exception?: { description?: string } };
      };
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async press(key) {
      const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
      await call('Input.dispatchKeyEvent', { type: 'keyDown', key, ...(text ? { text } : {}) });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', key });
    },
    async type(text) {
      await call('Input.insertText', { text });
    },
    screenshot: async () => bytes(await call('Page.captureScreenshot', { format: 'png' })),
    pdf: async () => bytes(await call('Page.printToPDF', {})),
    close: async () => {
      await send('Target.closeTarget', { targetId });
    },
  };
}
