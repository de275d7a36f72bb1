export const RISK_LEVELS = ['critical', 'high', 'medium', 'low'] as const;

export type RiskLevel = (typeof RISK_LEVELS)[number];

export interface Risk {
  readonly level: RiskLevel;
  readonly reason: string;
}

export const ROUTINE: Risk = { level: 'low', reason: 'routine' };

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
