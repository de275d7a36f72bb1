/**
 * Programs that scripts call run in this process, which has them loaded: separate processes of the built program and
 * of `gh` cost several times more. Scripts for bash pass words, environment and folder here, and get output and exit
 * code.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { runBuilt } from './built.ts';
import { gh } from './github/gh.ts';

export interface Call {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PROGRAMS: Readonly<Record<string, (call: Call) => Promise<Answer>>> = {
  websites: ({ args, ...options }) => runBuilt(args, options),
  gh,
  script,
};

/** Runs a Node script in a thread. It must not use the working directory, which is that of the test. */
async function script({ args: [file = '', ...argv], env }: Call): Promise<Answer> {
  const worker = new Worker(file, { argv, env, execArgv: [], stdout: true, stderr: true });
  const [[code], stdout, stderr] = await Promise.all([
    once(worker, 'exit') as Promise<[number]>,
    text(worker.stdout),
    text(worker.stderr),
  ]);
  return { code, stdout, stderr };
}

let port: Promise<number> | undefined;

/** The lines of a bash script that runs `program` here, without `skipped` words, and exits with its code. */
export async function scriptFor(program: string, skipped = 0): Promise<string> {
  port ??= listen();
  return `exec 3<> /dev/tcp/127.0.0.1/${await port}
{ printf '%s\\0' ${program} "$PWD" "$(($# - ${skipped}))" "\${@:${skipped + 1}}"; env -0; printf '\\0'; } >&3
eval "$(cat <&3)"
`;
}

/** Listens for as long as this process lives. */
async function listen(): Promise<number> {
  const server = createServer((socket) => void serve(socket)).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function serve(socket: Socket): Promise<void> {
  // The caller is gone if the test has ended meanwhile.
  socket.on('error', () => undefined);
  let asked = '';
  for await (const part of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    asked += part;
    if (asked.endsWith('\0\0')) break;
  }
  const [program = '', cwd = '', count, ...rest] = asked.split('\0');
  const args = rest.splice(0, Number(count));
  const env = Object.fromEntries(rest.filter(Boolean).map((entry) => entry.split(/=(.*)/s, 2)));
  const answer = await PROGRAMS[program]?.({ args, cwd, env }).catch(String);
  socket.end(
    typeof answer === 'object' ? saying(answer) : saying({ code: 99, stdout: '', stderr: `${answer}` }),
  );
}

function saying({ code, stdout, stderr }: Answer): string {
  return `printf %s ${quoted(stdout)}\nprintf %s ${quoted(stderr)} >&2\nexit ${code}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
