import { approvalRuleErrors, approvalRuleFailures } from './errors/approval-rules.ts'
import { buildErrors, buildFailures } from './errors/builds.ts'
import { cloudAccountErrors, cloudAccountFailures } from './errors/cloud-accounts.ts'
import { deploymentErrors, deploymentFailures } from './errors/deployments.ts'
import { domainErrors, domainFailures } from './errors/domains.ts'
import { freezeErrors } from './errors/freezes.ts'
import { gitErrors } from './errors/git.ts'
import { holdErrors } from './errors/holds.ts'
import { infrastructureErrors, infrastructureFailures } from './errors/infrastructure.ts'
import { moduleErrors, moduleFailures } from './errors/modules.ts'
import { notificationErrors } from './errors/notifications.ts'
import { peopleErrors } from './errors/people.ts'
import { pipelineErrors, pipelineFailures } from './errors/pipelines.ts'
import { policyErrors, policyFailures } from './errors/policies.ts'
import { previewErrors } from './errors/previews.ts'
import { projectErrors } from './errors/projects.ts'
import { promotionRuleErrors } from './errors/promotion-rules.ts'
import { rehearsalErrors, rehearsalFailures } from './errors/rehearsals.ts'
import { requestErrors } from './errors/requests.ts'
import { watchedRepositoryErrors } from './errors/watched-repositories.ts'

export type { ApiErrorEntry, ErrorEntry } from './errors/entry.ts'

/** Errors that requests can return. */
export const apiErrors = {
  ...requestErrors,
  ...peopleErrors,
  ...projectErrors,
  ...cloudAccountErrors,
  ...domainErrors,
  ...approvalRuleErrors,
  ...freezeErrors,
  ...gitErrors,
  ...holdErrors,
  ...policyErrors,
  ...moduleErrors,
  ...deploymentErrors,
  ...promotionRuleErrors,
  ...rehearsalErrors,
  ...previewErrors,
  ...watchedRepositoryErrors,
  ...pipelineErrors,
  ...buildErrors,
  ...infrastructureErrors,
  ...notificationErrors,
} as const

export type ApiErrorKey = keyof typeof apiErrors

/** Errors of every route. Routes do not declare them. */
export const commonErrors = [
  'requestInvalid',
  'malformedJson',
  'requestUnreadable',
  'requestTooSlow',
  'headersTooLarge',
  'bodyTooLarge',
  'mediaTypeUnsupported',
  'rateLimited',
  'internal',
  'unavailable',
] as const satisfies readonly ApiErrorKey[]

/** Errors of every route that requires authentication. Routes do not declare them. */
export const guardErrors = ['unauthenticated', 'forbidden', 'crossSite'] as const satisfies readonly ApiErrorKey[]

/** Errors of resources that failed after their request was accepted: the codes in `error` fields. */
export const failures = {
  ...cloudAccountFailures,
  ...domainFailures,
  ...moduleFailures,
  ...deploymentFailures,
  ...rehearsalFailures,
  ...approvalRuleFailures,
  ...policyFailures,
  ...pipelineFailures,
  ...buildFailures,
  ...infrastructureFailures,
} as const

export type FailureKey = keyof typeof failures
