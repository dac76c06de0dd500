import type { Logger } from 'pino'
import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../../cloud/adapter/cloud-call.ts'
import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import { type CheckResult, combined } from '../findings.ts'
import { checkRoles } from '../roles.ts'
import { checkTaskDefinition } from './check-task-definition.ts'
import { passedRolesOf } from './passed-roles.ts'
import { taskDefinitionOf } from './task-definition.ts'

/**
 * Checks what the new tasks of a release need to start. Returns undefined for a release that uses a registered
 * revision, such as a rollback. The cloud itself rejects an invalid size before it changes anything.
 */
export async function checkStart(
  clients: CloudClients,
  release: EcsRelease,
  now: Date,
): Promise<CheckResult | undefined> {
  const definition = release.isRollback ? undefined : taskDefinitionOf(release)
  if (!definition) return undefined
  const { region, serviceArn } = release
  const account = serviceArn.split(':')[4] ?? ''
  const parts = await Promise.all([
    // The task definition also says whether the service uses Fargate.
    checkTaskDefinition(clients, definition, { region, account, now, isFargate: false }),
    checkRoles(clients, passedRolesOf(release, definition), account),
  ])
  return combined(parts)
}

/** Creates checks whose defects are logged and do not stop a release: the cloud rejects what cannot work anyway. */
export const createStartChecks =
  (log: Pick<Logger, 'error'>): typeof checkStart =>
  async (...subject) => {
    try {
      return await checkStart(...subject)
    } catch (error) {
      if (error instanceof CloudTransientError || error instanceof CloudPermanentError) throw error
      log.error({ err: error }, 'a release starts unchecked, because a check failed unexpectedly')
      return undefined
    }
  }
