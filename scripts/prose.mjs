/**
 * Checks pages, the strings of src, comments, test titles, and the texts of YAML files: no sentence over 30 words, and no
 * phrase for which the project has another. Comments and titles have rules of their own on top. cspell checks spelling and
 * single words (cspell.json).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_WORDS = 30;
/** Maximum for docs/ without the pages of decisions. */
const MAX_WORDS_OF_PAGES = 32_000;
const MAX_SHOWN = 50;

const PHRASES = [
  [/\b(?:take|takes|taking|taken|took) back\b/i, 'undo'],
  [/\b(?:go|goes|going|went|gone) on\b/i, 'resume, continue'],
  [/\bmakes? it so\b/i, 'apply'],
  [/\bas the files? says?\b/i, 'matches the configuration'],
  [/\bwhat (?:the service|it) keeps under\b/i, 'its data'],
  [/\b(?:by guards?|guards?) refuses?d?\b/i, 'blocks'],
  [/\bonce more\b/i, 'again'],
  [/\b(?:under way|at work)\b/i, 'in progress, in flight'],
  [/\bcomes? to (?:its|their) end\b/i, 'finishes'],
  [/\bstands? (?:here|there|in|under|between|beside)\b/i, 'is in, contains'],
  [/\bto be had\b/i, 'available, set'],
  [/\b(?:in no file|nowhere)\b/i, 'not declared, never returned'],
  [/\bso many\b/, 'N'],
  [/\bin (?:the )?place of\b/i, 'instead of'],
  [/\bbeside\b/i, 'next to, with'],
  [/\b(?:leave|leaves|leaving|left) out\b/i, 'omit, skip, ignore, exclude'],
  [/\b(?:leave|leaves|leaving)\b[^.;:]{1,30}\bout\b/i, 'omit, skip, ignore, exclude'],
  [/\b(?:by now|anew)\b/i, 'now, again'],
  [/\bany more\b|\b(?:is|are) (?:not|still) there\b/i, 'no longer exists'],
  [/\bwhichever\b/i, 'a shorter sentence'],
  [/\bwins?\b/i, 'overrides'],
  [/\btells? of\b/i, 'report, show'],
  [/\bmends?(?:ed)?\b/i, 'fix'],
  [/\bfrom here upward\b/i, 'in this directory or a parent'],
  [/\bthe one that is meant\b/i, 'its name'],
  [/\b(?:let|lets) in\b|\bshuts? out\b/i, 'accept, revoke'],
  [/\bby hand\b/i, 'outside this tool, manually'],
  [/\b(?:etc\.|e\.g\.|i\.e\.)/i, 'for example, that is'],
];

/** Phrases that are only checked in test titles and comments. */
const TITLE_PHRASES = [
  [/\b(?:what|which|that|who) (?:is|are|was) to be\b/i, 'a verb'],
  [/\b(?:is|are) none\b/i, 'no, or missing'],
  [/\bbe it\b/i, 'or'],
  [/\b(?:tells?|told|telling)\b/i, 'print, log, report'],
  [/[,;] where\b/i, 'if'],
];
const COMMENT_PHRASES = [
  ...TITLE_PHRASES,
  [/^(?:What|Whether|Where|How|Of|So|With|From)\b/, 'a verb or a noun first'],
];

/** Returns paragraphs, list items and table cells of a page, with their line numbers. */
export function textsOfPage(page) {
  // Keeps line ends, so that line numbers stay right.
  const lines = page
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, (block) => block.replaceAll(/.+/g, ''))
    .split('\n');
  const texts = [];
  let open;
  for (const [index, line] of lines.entries()) {
    const at = index + 1;
    const [, item] = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line) ?? [];
    if (/^\s*(?:$|<!--|#)/.test(line)) open = undefined;
    else if (line.startsWith('|')) texts.push(...cellsOf(line).map((text) => ({ line: at, text })));
    else if (open === undefined || item !== undefined) {
      open = { line: at, text: item ?? line };
      texts.push(open);
    } else open.text += ` ${line.trim()}`;
  }
  return texts;
}

/** List items in a cell are separated by semicolons. */
function cellsOf(row) {
  return row.split(/(?<!\\)\||; /).filter((text) => /\w/.test(text));
}

/**
 * Returns the strings of a program with their line numbers. Skips comments, because users do not read them.
 */
export function textsOfProgram(program) {
  const parts = /\/\/.*|\/\*[\s\S]*?\*\/|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  return Array.from(program.matchAll(parts)).flatMap((match) => {
    const text = match[1] ?? match[2] ?? match[3];
    return text?.includes(' ') ? [{ line: program.slice(0, match.index).split('\n').length, text }] : [];
  });
}

/** Returns the comments of a program. Consecutive line comments count as one. */
export function commentsOf(program) {
  const parts = /\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)\/\/ (.*(?:\n\s*\/\/ .*)*)/gm;
  return Array.from(program.matchAll(parts), (match) => ({
    line: program.slice(0, match.index).split('\n').length,
    text: (match[1] ?? match[2])
      .replaceAll(/^\s*(?:\*|\/\/) ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}

/** Returns the comments and descriptions of a YAML file. Consecutive comment lines count as one. */
export function textsOfYaml(yaml) {
  const parts = /(?:^|\s)# (.*(?:\n\s*# .*)*)|^\s*description: (.*)/gm;
  return Array.from(yaml.matchAll(parts), (match) => ({
    line: yaml.slice(0, match.index).split('\n').length,
    text: (match[1] ?? match[2]).replaceAll(/\n\s*# /g, ' '),
  }));
}

export function titlesOf(program) {
  const calls =
    /\b(?:test|it|describe)(?:\.\w+)?(?:\([^()]*\))?\(\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`)/g;
  return Array.from(program.matchAll(calls), (match) => ({
    line: program.slice(0, match.index).split('\n').length,
    text: match[1] ?? match[2] ?? match[3],
  }));
}

export function faultsOf(text, morePhrases = []) {
  const plain = text
    .replaceAll(/`[^`]*`/g, 'CODE')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/"[^"]*"/g, 'QUOTED')
    .replaceAll(/\*\*|\$\{[^}]*\}/g, ' X ');
  // A string with line breaks is a page or a program in another language, so its length is not checked.
  const long = (/\n/.test(text) ? '' : plain)
    .split(/[.!?]["”)]?\s+/)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)))
    .filter((words) => words.length > MAX_WORDS)
    .map((words) => `${words.length} words: ${words.slice(0, 8).join(' ')} …`);
  const phrases = [...PHRASES, ...morePhrases].flatMap(([phrase, better]) => {
    const [found] = phrase.exec(plain) ?? [];
    return found === undefined ? [] : [`"${found}": write ${better}`];
  });
  return [...long, ...phrases];
}

function filesUnder(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith(ending) && statSync(path).isFile());
}

function check() {
  const programs = ['src', 'test', 'scripts', 'bench'].flatMap((folder) => filesUnder(folder, '.ts'));
  const pages = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...filesUnder('docs', '.md')];
  const faults = [
    ...pages.map((file) => [file, textsOfPage]),
    ...filesUnder('src', '.ts').map((file) => [file, textsOfProgram]),
    ...['action.yml', ...filesUnder('examples', 'ml'), ...filesUnder('.github', '.yml')].map((file) => [
      file,
      textsOfYaml,
      COMMENT_PHRASES,
    ]),
    ['package.json', (text) => [{ line: 1, text: JSON.parse(text).description }]],
    ...programs.map((file) => [file, commentsOf, COMMENT_PHRASES]),
    ...filesUnder('test', '.test.ts').map((file) => [file, titlesOf, TITLE_PHRASES]),
  ].flatMap(([file, textsOf, phrases]) =>
    textsOf(readFileSync(file, 'utf8')).flatMap(({ line, text }) =>
      faultsOf(text, phrases).map((fault) => `${file}:${line}: ${fault}`),
    ),
  );
  const words = filesUnder('docs', '.md')
    .filter((file) => !file.includes('decisions'))
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split(/\s+/).length, 0);
  if (words > MAX_WORDS_OF_PAGES) faults.push(`docs: ${words} words, ${MAX_WORDS_OF_PAGES} at most`);
  for (const fault of faults.slice(0, MAX_SHOWN)) console.log(fault);
  console.log(`${faults.length} faults in pages, strings, comments and titles.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) check();
