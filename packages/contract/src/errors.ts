import { approvalRuleFailures, approvalRuleRefusals } from './errors/approval-rules.ts'
import { buildFailures, buildRefusals } from './errors/builds.ts'
import { cloudAccountFailures, cloudAccountRefusals } from './errors/cloud-accounts.ts'
import { deploymentFailures, deploymentRefusals } from './errors/deployments.ts'
import { domainFailures, domainRefusals } from './errors/domains.ts'
import { freezeRefusals } from './errors/freezes.ts'
import { gitRefusals } from './errors/git.ts'
import { holdRefusals } from './errors/holds.ts'
import { infrastructureFailures, infrastructureRefusals } from './errors/infrastructure.ts'
import { moduleFailures, moduleRefusals } from './errors/modules.ts'
import { notificationRefusals } from './errors/notifications.ts'
import { peopleRefusals } from './errors/people.ts'
import { pipelineFailures, pipelineRefusals } from './errors/pipelines.ts'
import { policyFailures, policyRefusals } from './errors/policies.ts'
import { previewRefusals } from './errors/previews.ts'
import { projectRefusals } from './errors/projects.ts'
import { promotionRuleRefusals } from './errors/promotion-rules.ts'
import { rehearsalFailures, rehearsalRefusals } from './errors/rehearsals.ts'
import { requestRefusals } from './errors/requests.ts'
import { watchedRepositoryRefusals } from './errors/watched-repositories.ts'

export type { ErrorEntry, RefusalEntry } from './errors/entry.ts'

/** Errors that requests can return. */
export const refusals = {
  ...requestRefusals,
  ...peopleRefusals,
  ...projectRefusals,
  ...cloudAccountRefusals,
  ...domainRefusals,
  ...approvalRuleRefusals,
  ...freezeRefusals,
  ...gitRefusals,
  ...holdRefusals,
  ...policyRefusals,
  ...moduleRefusals,
  ...deploymentRefusals,
  ...promotionRuleRefusals,
  ...rehearsalRefusals,
  ...previewRefusals,
  ...watchedRepositoryRefusals,
  ...pipelineRefusals,
  ...buildRefusals,
  ...infrastructureRefusals,
  ...notificationRefusals,
} as const

export type RefusalKey = keyof typeof refusals

/** Errors of every route. Routes do not declare them. */
export const commonRefusals = [
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
] as const satisfies readonly RefusalKey[]

/** Errors of every route that requires authentication. Routes do not declare them. */
export const guardRefusals = ['unauthenticated', 'forbidden', 'crossSite'] as const satisfies readonly RefusalKey[]

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
