/** Expressions of GitHub Actions that our workflows use: paths, literals, ==, !=, &&, ||, ! and status functions. */

export type Value = string | number | boolean | null | undefined | Context;
export interface Context {
  readonly [name: string]: Value;
}

/** The result of the previous steps, for `always()` and similar functions. */
interface Status {
  readonly failed: boolean;
}

/** Replaces every `${{ … }}` in `text` by its value. */
export function interpolate(text: string, context: Context): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    textOf(evaluate(expression, context, { failed: false })),
  );
}

/** Evaluates an `if:`. Without a status function, it is false after a failure. */
export function holds(condition: string | boolean | undefined, context: Context, status: Status): boolean {
  const expression = String(condition ?? 'true').replace(/^\$\{\{(.*)\}\}$/s, '$1');
  const asksStatus = /\b(?:always|success|failure|cancelled)\(\)/.test(expression);
  return (asksStatus || !status.failed) && Boolean(evaluate(expression, context, status));
}

/** Throws on an invalid or unknown expression. */
function evaluate(expression: string, context: Context, status: Status): Value {
  const tokens = expression.match(/'(?:[^']|'')*'|==|!=|&&|\|\||[!()]|[\w.-]+|\S/g) ?? [];
  let at = 0;
  const takes = (token: string): boolean => tokens[at] === token && ++at > 0;

  function either(): Value {
    let value = both();
    while (takes('||')) {
      const right = both();
      value = value || right;
    }
    return value;
  }

  function both(): Value {
    let value = equal();
    while (takes('&&')) {
      const right = equal();
      value = value && right;
    }
    return value;
  }

  function equal(): Value {
    const left = single();
    if (takes('==')) return textOf(left) === textOf(single());
    if (takes('!=')) return textOf(left) !== textOf(single());
    return left;
  }

  function single(): Value {
    if (takes('!')) return !single();
    if (takes('(')) return closed(either());
    const token = tokens[at++] ?? '';
    return takes('(') ? closed(statusOf(token)) : literal(token);
  }

  function closed(value: Value): Value {
    if (!takes(')')) throw new Error(`")" is missing in ${expression}`);
    return value;
  }

  function statusOf(name: string): boolean {
    const known = { always: true, success: !status.failed, failure: status.failed, cancelled: false };
    if (!Object.hasOwn(known, name)) throw new Error(`${name}() is not known here`);
    return known[name as keyof typeof known];
  }

  function literal(token: string): Value {
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (/^\d+$/.test(token)) return Number(token);
    if (!/^[a-z_][\w.-]*$/i.test(token)) throw new Error(`${token} is not understood in ${expression}`);
    return token === 'true' || token === 'false' ? token === 'true' : lookUp(token, context);
  }

  const result = either();
  if (at < tokens.length) throw new Error(`${tokens[at]} is too much in ${expression}`);
  return result;
}

function lookUp(path: string, context: Context): Value {
  const [first = '', ...names] = path.split('.');
  if (!Object.hasOwn(context, first)) throw new Error(`there is no context ${first}`);
  return names.reduce<Value>(
    (value, name) => (typeof value === 'object' && value !== null ? value[name] : undefined),
    context[first],
  );
}

/** The value as GitHub writes it into a text. */
export function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
