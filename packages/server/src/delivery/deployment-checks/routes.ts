import { type DeploymentCheck, routes, type UserFacingError } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { triggerSourceOf } from '../../platform/http/channel.ts'
import { handle } from '../../platform/http/handle.ts'
import { expectNotDestroyed, resolveNewDeployment, type Trigger } from '../deployments/create/accept.ts'
import { findTarget } from '../deployments/create/target.ts'
import { newDeploymentBlockers } from '../deployments/execution/gates.ts'
import { findOtherOwner } from '../deployments/execution/resource-owner.ts'
import { compare } from '../deployments/representation/compare.ts'
import type { KnownCommits } from '../deployments/representation/sources.ts'
import { readQueue, wholeRow } from '../deployments/store/store.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { checkAccess } from './account-access.ts'
import { checkInCloud } from './cloud-checks.ts'
import { type CheckResult, combined, type Finding, mostSevereFirst, outcomeOf, withInputs } from './findings.ts'
import { representGate } from './gates.ts'
import { pausesOf } from './pauses.ts'
import { checkQueue } from './queue.ts'

type Parts = { cloud: Cloud; clock: () => Date; knownCommits: KnownCommits }

/** Deployment that is not stored, the templates of its deploy block, and the results of the checks in the cloud. */
type Checked = { row: DeploymentRow; deploy: unknown; inCloud: CheckResult }

export function serveDeploymentChecks(app: App, { cloud, clock, knownCommits }: Parts): void {
  handle(
    app,
    routes.createDeploymentCheck,
    async ({ db }, { row, deploy, inCloud }: Checked) => {
      const { findings, queue } = checkQueue(await readQueue(db, row.moduleInstanceId), row.release)
      const blockers = await newDeploymentBlockers(db, row, clock())
      const taken = await findOtherOwner(db, row)
      const { deploymentId: _, ...differences } = await compare(db, row, undefined, knownCommits)
      const parts = {
        findings: mostSevereFirst([...inCloud.findings, ...takenOf(taken), ...findings, ...pausesOf(row.release)]).map(
          (one) => withInputs(one, deploy),
        ),
        unchecked: inCloud.unchecked,
        gates: blockers.map(representGate),
        queue,
      }
      const { moduleInstanceId, deploymentType } = row
      const data: DeploymentCheck = {
        moduleInstanceId,
        deploymentType,
        outcome: outcomeOf(parts),
        ...parts,
        differences,
      }
      return { data }
    },
    // Outside of any transaction, because the cloud may be slow.
    async ({ body: { data }, caller, request, db }) => {
      const { moduleInstanceId, description, inputs = {} } = data
      const trigger = triggerOf({ caller, request })
      const row = wholeRow(await resolveNewDeployment(db, trigger, { moduleInstanceId, description, inputs }, clock))
      const target = await findTarget(db, caller.organizationId, moduleInstanceId)
      if (target) expectNotDestroyed(target.instance.status, moduleInstanceId)
      const deploy = target?.placed.version.config.deploy
      return { row, deploy, inCloud: await checkRow(cloud, db, row, clock()) }
    },
  )
}

/** Returns the finding about a resource that another module instance releases. */
const takenOf = (taken: UserFacingError | undefined): Finding[] =>
  taken ? [{ severity: 'ERROR', code: 'RESOURCE_TAKEN', message: taken.message, remedy: taken.description ?? '' }] : []

function triggerOf(asking: CallerRequest): Trigger {
  const author = authorOf(asking)
  return { author, triggeredBy: author.actorName, triggeredById: author.actorId, source: triggerSourceOf(asking) }
}

async function checkRow(
  cloud: Cloud,
  db: Db,
  { organizationId, release }: DeploymentRow,
  now: Date,
): Promise<CheckResult> {
  const account = await findCloudConnection(db, organizationId, release.cloudAccountId)
  if (!account) throw new Error(`the cloud account ${release.cloudAccountId} was disconnected meanwhile`)
  const { roleArn } = account
  const clients = cloud.clientsFor(account, release.region)
  const [access, checks] = await Promise.all([
    checkAccess(cloud, account, release.region),
    checkInCloud({ clients, roleArn, now }, release),
  ])
  // Without access, every check is unchecked for the same reason.
  return access.findings.length > 0 ? access : combined([access, checks])
}
