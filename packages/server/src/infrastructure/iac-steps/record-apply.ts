import { failures, type UserFacingError } from '@sluice/contract'
import type { AppliedReport } from '@sluice/contract/runner-protocol'
import { storeReleasedServicesOfStack } from '../../delivery/deployments/external/adopt.ts'
import { endPlan } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Output, State } from '../../stacks/iac-states/state-file.ts'
import { saveOutputs } from '../../stacks/stacks/outputs.ts'
import { createMask, fillInKnown, secretsUnder } from '../adapter/sensitive.ts'
import type { ShownResource } from '../adapter/shown-state.ts'
import {
  type FoundResource,
  markCurrent,
  markDrift,
  recordResources,
  resourcesOfStep,
} from '../iac-resources/record.ts'
import type { IacResourceRow } from '../iac-resources/tables.ts'
import { storableAttributes, storableOutputs } from './storable-state.ts'

type Applied = {
  plan: IacPlanRow
  outcome: 'APPLIED' | 'FAILED'
  events: AppliedReport['events']
  /** Current state; undefined if it is unreadable or missing. */
  state: State | undefined
  /** Resources of the state by address, as the tool returned them; may be empty. */
  shown: Map<string, ShownResource>
  secrets: string[]
}

export type RecordParts = { db: Db; seal: Seal; clock: () => Date }

/**
 * Stores the result of an apply in one transaction: the plan, the resources it touched, and the outputs. Returns the
 * output values that are marked as sensitive.
 */
export async function recordApply(
  { db, seal, clock }: RecordParts,
  step: PipelineStepExecutionRow,
  applied: Applied,
): Promise<string[]> {
  const { plan, outcome, state } = applied
  const { organizationId, stackId, workspaceId } = plan
  const { id: stepExecutionId, pipelineRunId } = step
  const { pipelineId } = await findRunOf(db, step)
  const planned = await resourcesOfStep(db, organizationId, plan.stepExecutionId)
  const found = foundBy(applied, planned)
  await db.transaction(async (tx) => {
    await endPlan(tx, plan, outcome, clock())
    await recordResources(tx, { organizationId, pipelineId, pipelineRunId, stepExecutionId, stackId }, found)
    const workspace = { organizationId, stackId, workspaceId }
    await markCurrent(tx, workspace, state?.resources.map(({ address }) => address) ?? [])
    await markDrift(tx, workspace, 'IN_SYNC', wellDone(found))
    await saveOutputs(tx, seal, { organizationId, stackId, pipelineRunId }, storableOutputs(state), clock())
    await storeReleasedServicesOfStack(tx, organizationId, stackId)
  })
  return Object.values(state?.outputs ?? {}).flatMap(secretTextOf)
}

const secretTextOf = ({ value, isSensitive }: Output): string[] =>
  isSensitive && typeof value === 'string' ? [value] : []

/** Returns the resources that the apply finished or failed at; all of them if it succeeded. */
function foundBy(
  { plan, outcome, events, state, shown, secrets }: Applied,
  planned: IacResourceRow[],
): FoundResource[] {
  const inState = new Map(state?.resources.map((one) => [one.address, one]))
  const errors = new Map(events.flatMap((event) => (event.kind === 'error' ? [[event.address, event] as const] : [])))
  const touched = new Set(
    events.flatMap((event) => (event.kind === 'error' || event.kind === 'done' ? [event.address] : [])),
  )
  const shownSecrets = [...shown.values()].flatMap(({ values, isSensitive }) => secretsUnder(values, isSensitive))
  const hide = createMask([...secrets, ...shownSecrets])
  return planned
    .filter((resource) => isMade(resource) && (outcome === 'APPLIED' || touched.has(resource.address)))
    .map((resource) => {
      const now = inState.get(resource.address)
      const { values = now?.attributes, isSensitive } = shown.get(resource.address) ?? {}
      const error = errors.get(resource.address)
      return {
        ...identityOf(resource),
        runType: plan.kind === 'DESTROY' ? ('DESTROY' as const) : ('APPLY' as const),
        driftStatus: now ? 'IN_SYNC' : 'UNKNOWN',
        isInCurrentState: now !== undefined,
        tainted: now?.isTainted ?? false,
        vendorData: {
          before: resource.vendorData.before,
          after: hide(fillInKnown(resource.vendorData.after, storableAttributes(values), isSensitive)),
        },
        error: error ? resourceError(error) : null,
      }
    })
}

/** Reports whether an apply of the plan changes or moves the resource. Deferred changes are left to a later plan. */
function isMade({ changeType, changeReasons }: IacResourceRow): boolean {
  const { reasons, previousAddress } = changeReasons ?? { reasons: [] }
  const isDeferred = reasons.some((reason) => reason.startsWith('DEFERRED_'))
  return !isDeferred && (changeType !== 'NO_OP' || previousAddress !== undefined)
}

/** Returns the addresses of resources that now match the configuration, so that earlier drift is resolved. */
const wellDone = (found: readonly FoundResource[]): string[] =>
  found.flatMap(({ driftStatus, error, address }) => (driftStatus === 'IN_SYNC' && error === null ? [address] : []))

const identityOf = ({
  address,
  moduleAddress,
  indexKey,
  provider,
  resourceName,
  resourceType,
  changeType,
  changeReasons,
}: IacResourceRow) => ({
  address,
  moduleAddress,
  indexKey,
  provider,
  resourceName,
  resourceType,
  changeType,
  changeReasons,
})

const resourceError = ({ summary, detail }: { summary: string; detail: string }): UserFacingError => ({
  code: failures.iacResourceFailed.code,
  message: summary,
  ...(detail !== '' && { description: detail }),
})
