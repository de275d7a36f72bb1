import { type Problem, WebsitesError } from '../../model/errors.ts';
import { count } from '../../util/text.ts';

/** Sorts problems by file and place. A cause that repeats in many records is reported once. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const distinct = new Map<string, Problem>();
  for (const problem of problems) {
    const { file = '', line = 0, column = 0 } = problem.place ?? {};
    distinct.set(JSON.stringify([file, line, column, problem.severity, problem.message]), problem);
  }
  return [...distinct.values()].sort(({ place: a }, { place: b }) => {
    if (a === undefined || b === undefined) return 0;
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || a.column - b.column;
  });
}

/** Removes the content of foreign files from problems, because a link may lead to any file of the machine. */
export function withoutForeign(problems: readonly Problem[], foreign: readonly string[]): Problem[] {
  return problems.map((problem) => {
    const { severity, place } = problem;
    if (place === undefined || !foreign.includes(place.file)) return problem;
    const hidden = { ...FOREIGN, place: { file: place.file, line: 1, column: 1 } };
    return severity === 'error' ? { severity, ...hidden } : { severity, code: 'file-linked', ...hidden };
  });
}

const FOREIGN = {
  message:
    'this file has a problem, which is not shown, because a link leads out of the directory to the file',
  remedy: 'Replace the link with the file, or allow the directory of the file with WEBSITES_ALLOW_PATH.',
} as const;

const FIX = 'Fix the problems above. "websites validate" checks the files offline.';

export function refuseInvalid(problems: readonly Problem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  const warnings = problems.length - errors;
  const files = new Set(problems.map(({ place }) => place?.file)).size;
  const counts = [count(errors, 'error'), ...(warnings > 0 ? [count(warnings, 'warning')] : [])];
  throw new WebsitesError('config-invalid', `${counts.join(', ')} in ${count(files, 'file')}.`, {
    remedy: FIX,
    problems,
  });
}

/** Reported as a warning, because the guard for empty files blocks the plan. */
export function noFile(folder: string): Problem {
  return {
    severity: 'warning',
    code: 'file-pattern-unmatched',
    message: `no YAML file in ${folder}`,
    remedy: 'Check the directory.',
  };
}
