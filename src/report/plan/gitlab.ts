/** GitLab's merge-request widget (`artifacts:reports:terraform`): counts alone, since guests may read it. */
import type { Plan } from '../../model/plan.ts';
import { jsonLine } from '../json.ts';

export function planGitlab({ summary }: Plan): string {
  return jsonLine({ create: summary.create, update: summary.update, delete: summary.delete });
}
