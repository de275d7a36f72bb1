import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, page, type Written } from './answers.ts';
import type { Fault } from './faults.ts';
import { throttle } from './limits.ts';

/** Answers one request at `now`; `carryOut` executes it and returns its answer. */
export async function strike(
  fault: Fault | undefined,
  response: ServerResponse,
  carryOut: () => Written,
  now: number,
): Promise<void> {
  const date = new Date(now).toUTCString();
  const answer = (written: Written): void => {
    response.writeHead(written.status, { date, ...lengthOf(written), ...written.headers });
    response.end(written.body);
  };
  switch (fault?.kind) {
    case undefined:
      return answer(carryOut());
    case 'delay':
      await sleep(fault.ms);
      return strike(fault.next, response, carryOut, now);
    case 'status': {
      if (fault.when === 'after') carryOut();
      const { status, headers = {}, body } = fault;
      return answer(
        body === undefined ? json(status, { message: 'Server Error' }, headers) : { status, headers, body },
      );
    }
    case 'throttle':
      return answer(throttle({ ...fault, now, resetMs: fault.seconds * 1000 }));
    case 'reset':
      if (fault.when === 'after') carryOut();
      return void response.socket?.resetAndDestroy();
    case 'late':
      response.socket?.resetAndDestroy();
      await sleep(fault.ms);
      return void carryOut();
    case 'hang':
      if (fault.when === 'after') carryOut();
      return;
    case 'empty':
      return answer({ status: carryOut().status, headers: {}, body: '' });
    case 'page':
      return answer(page(carryOut().status, 'Welcome'));
    case 'cut':
      return cut(response, carryOut(), date);
    case 'endless':
      return endless(response, carryOut(), date);
  }
}

function lengthOf({ body }: Written): Record<string, number> {
  return { 'content-length': Buffer.byteLength(body) };
}

function cut(response: ServerResponse, written: Written, date: string): void {
  response.writeHead(written.status, { date, ...lengthOf(written), ...written.headers });
  response.write(written.body.slice(0, written.body.length / 2), () => response.socket?.destroy());
}

/** Sends a body until the other side closes. */
function endless(response: ServerResponse, written: Written, date: string): void {
  response.writeHead(written.status, { date, ...written.headers });
  response.write(written.body);
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
}
