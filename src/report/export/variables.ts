/** Names of the variables that passwords are to be had from. */

/**
 * Makes names such as PASSWORD_SHOP_EXAMPLE_COM, each once. With a hyphen as two underscores the name hangs
 * on the domain alone, so that another export gives the same one; domains with underscores of their own
 * that still come to one name, or to one that is `used`, get a number.
 */
export function variableNames(used: readonly string[]): (domain: string) => string {
  const taken = new Set(used);
  return (domain) => {
    const plain = `PASSWORD_${domain
      .toUpperCase()
      .replaceAll('-', '__')
      .replace(/[^A-Z0-9]/g, '_')}`;
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}__${number}`;
    taken.add(name);
    return name;
  };
}
