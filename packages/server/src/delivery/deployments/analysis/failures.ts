import { type DeploymentAnalysis, failures, type UserFacingError } from '@sluice/contract'
import { linesOf } from './machine.ts'

/** Returns the error of a release in which a check failed more often than its failure limit allows. */
export function analysisFailed(analysis: DeploymentAnalysis): UserFacingError {
  const names = analysis.checks.filter(({ outcome }) => outcome === 'FAILED').map(({ name }) => name)
  const where = analysis.lifecycleStage === undefined ? '' : ` at ${analysis.lifecycleStage}`
  return {
    code: failures.analysisFailed.code,
    message: `The release was rolled back because a check failed${where}: ${names.join(', ')}.`,
    description:
      'deploy.analysis in the module version defines the checks. `?include=analysis` of the deployment has what was measured.',
    details: [{ title: 'Checks', render: 'list', items: linesOf(analysis) }],
  }
}
