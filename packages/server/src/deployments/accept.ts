import type { EcsDeploymentData, TriggerSource } from '@sluice/contract'
import { findConnectionByNumber } from '../cloud-accounts/connection.ts'
import type { Db } from '../platform/db/open.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { newId } from '../platform/ids.ts'
import { present } from '../platform/present.ts'
import { note } from './ecs/events.ts'
import { freshProgress } from './ecs/machine.ts'
import { superseded } from './errors.ts'
import { admit, isFinal } from './machine.ts'
import type { Release } from './release.ts'
import type { Resolution, ResolvedDeployment } from './resolve.ts'
import { finish, later } from './standing.ts'
import { insertDeployment, lockTarget, type NewDeployment, readQueue, saveStanding, standingOf } from './store.ts'
import type { DeploymentRow } from './tables.ts'
import { findTarget, resolveTarget } from './target.ts'

/** Who asks for a deployment, and by what. */
export type Trigger = {
  organizationId: string
  triggeredBy: string
  source: TriggerSource
  /** The step of a pipeline run that asks. */
  pipelineRunId?: string
  stepExecutionId?: string
}

type Request = { moduleInstanceId: string; description: string; inputs: Record<string, unknown> }

/**
 * Accepts a deployment: resolves what it releases and puts it into the queue of its module instance, in one
 * transaction. Refuses what could never be carried out, before anything is stored.
 */
export async function acceptDeployment(
  db: Db,
  trigger: Trigger,
  request: Request,
  clock: () => Date,
): Promise<DeploymentRow> {
  const { organizationId } = trigger
  const found = await findTarget(db, organizationId, request.moduleInstanceId)
  if (!found) throw targetNotFound(request.moduleInstanceId)
  const { instance, resolution } = await resolveTarget(db, found, trigger, request.inputs)
  const resolved = resolvedOrRefused(resolution, instance.givenId)
  const account = await findConnectionByNumber(db, organizationId, resolved.accountNumber)
  if (!account) {
    throw new Refusal(
      'cloudAccountNotConnected',
      `The service is in the cloud account ${resolved.accountNumber}, which is not connected. Connect it, then deploy.`,
    )
  }
  const release: Release = { ...resolved.release, cloudAccountId: account.id, queue: resolved.queue }
  return enqueue(db, clock, {
    ...newDeployment(trigger, release, clock()),
    moduleInstanceId: instance.id,
    projectId: instance.projectId,
    environmentId: instance.environmentId,
    description: request.description,
    inputs: request.inputs,
  })
}

/** Accepts the release of an earlier deployment once more: nothing is rendered again. */
export async function acceptRedeployment(
  db: Db,
  trigger: Trigger,
  source: DeploymentRow,
  clock: () => Date,
): Promise<DeploymentRow> {
  if (!isFinal(source.status)) {
    const message = `The deployment ${source.id} is ${source.status}; what it releases can be deployed again once it is over.`
    throw new Refusal('noStoredRelease', message)
  }
  const deployed = standingOf(source).data.deployedTaskDefinition
  // One that ended before its task definition was registered left the request to register it.
  const taskDefinition = deployed ? { reuse: { arn: deployed.arn } } : source.release.taskDefinition
  const { moduleInstanceId, projectId, environmentId, description, inputs } = source
  const row = newDeployment(trigger, { ...source.release, taskDefinition }, clock())
  return enqueue(db, clock, {
    ...row,
    data: { ...row.data, ...present({ deployedTaskDefinition: deployed }) },
    moduleInstanceId,
    projectId,
    environmentId,
    description,
    inputs,
    redeployOfDeploymentId: source.id,
  })
}

function resolvedOrRefused(resolution: Resolution, instanceGivenId: string): ResolvedDeployment {
  switch (resolution.verdict) {
    case 'resolved':
      return resolution.deployment
    case 'no-deploy':
      throw new Refusal('moduleHasNoDeploy', `The module version of ${instanceGivenId} has no deploy block.`)
    case 'inputs-wrong':
      throw new Refusal('inputInvalid', 'The inputs are not what the module takes.', {
        details: [{ title: 'Inputs', render: 'list', items: resolution.faults }],
      })
    case 'release-wrong':
      throw new Refusal('releaseInvalid', `What the module version of ${instanceGivenId} releases is not valid.`, {
        description: "Mend the module version's deploy block or the instance's inputs, whichever the list points to.",
        details: [{ title: 'Release', render: 'list', items: resolution.faults }],
      })
  }
}

/** How long a deployment may wait for its turn: as long as the cloud lets the one before it take, 30 days. */
const longestQueueMs = 30 * 86_400_000
/** A waiting row whose message was lost is noticed after this. */
const turnMs = 5_000

type Place = 'moduleInstanceId' | 'projectId' | 'environmentId' | 'description' | 'inputs'

function newDeployment(
  trigger: Trigger,
  release: Release,
  now: Date,
): Omit<NewDeployment, Place> & { data: EcsDeploymentData } {
  const { clusterArn, serviceArn, strategy } = release
  const id = newId('dep')
  return {
    id,
    organizationId: trigger.organizationId,
    status: 'PENDING',
    deploymentType: release.type,
    triggerSource: trigger.source,
    pipelineRunId: trigger.pipelineRunId ?? null,
    stepExecutionId: trigger.stepExecutionId ?? null,
    resourceArn: serviceArn,
    resourceName: serviceArn.split('/').at(-1) ?? serviceArn,
    data: {
      type: release.type,
      clusterArn,
      serviceArn,
      ecsModuleDeploymentId: id,
      detectedVia: 'SERVICE',
      initiationType: 'SERVICE',
      strategy: strategy.type,
      preDeployEnabled: false,
      postDeployEnabled: false,
      triggerChannel: trigger.source,
      triggeredBy: trigger.triggeredBy,
      events: [],
    },
    release,
    progress: freshProgress,
    wakeAt: later(now, turnMs),
    deadlineAt: later(now, longestQueueMs),
    waitingFor: 'its turn',
  }
}

/** Puts the deployment into the queue of its instance by the module's policy; one transaction. */
async function enqueue(db: Db, clock: () => Date, row: NewDeployment): Promise<DeploymentRow> {
  return db.transaction(async (tx) => {
    await holdTarget(tx, row.moduleInstanceId)
    const now = clock() // after the lock was had, so that the order of the queue is the order of the transactions
    const { pending, active } = await readQueue(tx, row.moduleInstanceId)
    const { queue } = row.release
    const admission = admit(
      queue,
      pending.map(({ id }) => id),
      active !== undefined,
    )
    if (admission.accept === 'no') {
      const message = `${pending.length} deployments of this module instance wait already, and its module lets ${queue.queueSize} wait.`
      throw new Refusal('queueFull', message)
    }
    const inserted = await insertDeployment(tx, { ...row, createdAt: now, updatedAt: now })
    if (admission.accept === 'gives-way') return giveWay(tx, inserted, admission.to, now)
    for (const one of pending.filter(({ id }) => admission.superseded.includes(id))) {
      await giveWay(tx, one, inserted.id, now)
    }
    return inserted
  })
}

/** The instance may have been deleted since it was found. */
async function holdTarget(tx: Db, moduleInstanceId: string): Promise<void> {
  const status = await lockTarget(tx, moduleInstanceId)
  if (status === undefined) throw targetNotFound(moduleInstanceId)
  if (status === 'DESTROYED') {
    throw new Refusal('moduleInstanceDestroyed', `The module instance ${moduleInstanceId} is destroyed.`)
  }
}

const targetNotFound = (id: string) =>
  new Refusal('moduleInstanceNotFound', `There is no module instance ${id} in this organization.`)

async function giveWay(tx: Db, row: DeploymentRow, to: string, now: Date): Promise<DeploymentRow> {
  const error = superseded(to)
  const noted = note(standingOf(row), 'CANCELLED', now, { message: error.message })
  const saved = await saveStanding(tx, row.revision, finish(noted, 'CANCELLED', now, error))
  // A cancel or the start of the row takes the same lock or comes first; then there is nothing left to give way.
  return saved ?? row
}
