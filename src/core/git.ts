/** Git, as it is run in a checkout that others wrote. */

/**
 * The first arguments of each call: a folder that a pull request makes look like a bare repository must not be taken for
 * the one to look at, since the commands that its configuration names would be run (Git 2.38 and newer).
 */
export const GIT_FLAGS = ['-c', 'safe.bareRepository=explicit'] as const;
