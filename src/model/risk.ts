export const RISK_LEVELS = ['critical', 'high', 'medium', 'low'] as const;

export type RiskLevel = (typeof RISK_LEVELS)[number];

export interface Risk {
  readonly level: RiskLevel;
  readonly reason: string;
}

// Constants, because many changes share them.
export const ROUTINE: Risk = { level: 'low', reason: 'routine' };
export const DELETED: Risk = { level: 'critical', reason: 'record deleted' };
export const DELETED_NOTES = ['data on the service will be lost'];
export const PASSWORD_NOTES = [
  'its password is not declared here: a service whose update replaces the record would lose it',
];

export function gravest(risks: readonly (Risk | undefined)[]): Risk {
  const present = risks.filter((risk) => risk !== undefined);
  return present.reduce((worst, risk) => (rank(risk) < rank(worst) ? risk : worst), ROUTINE);
}

export function compareRisk(a: Risk, b: Risk): number {
  return rank(a) - rank(b);
}

function rank(risk: Risk): number {
  return RISK_LEVELS.indexOf(risk.level);
}
