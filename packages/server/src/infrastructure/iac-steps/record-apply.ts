import { failures, type UserFacingError } from '@sluice/contract'
import type { AppliedReport } from '@sluice/contract/runner-protocol'
import { noteServicesOfStack } from '../../delivery/deployments/external/adopt.ts'
import { endPlan } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Output, State } from '../../stacks/iac-states/state-file.ts'
import { saveOutputs } from '../../stacks/stacks/outputs.ts'
import { filledIn, hiding, secretsUnder } from '../adapter/sensitive.ts'
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
  /** As it is now; undefined where it could not be read, or there is none. */
  state: State | undefined
  /** What the tool shows of each resource in the state, by address; empty where it showed nothing. */
  shown: Map<string, ShownResource>
  secrets: string[]
}

export type RecordParts = { db: Db; seal: Seal; clock: () => Date }

/**
 * Writes down what an apply came to: the plan, each resource that it touched, and the outputs, all at once. Answers
 * with the texts that the outputs mark as sensitive.
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
    await noteServicesOfStack(tx, organizationId, stackId)
  })
  return Object.values(state?.outputs ?? {}).flatMap(secretTextOf)
}

const secretTextOf = ({ value, isSensitive }: Output): string[] =>
  isSensitive && typeof value === 'string' ? [value] : []

/** The resources that the apply has reached: those that it has finished or failed at. All, if it succeeded. */
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
  const hide = hiding([...secrets, ...shownSecrets])
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
          after: hide(filledIn(resource.vendorData.after, storableAttributes(values), isSensitive)),
        },
        error: error ? resourceError(error) : null,
      }
    })
}

/** Whether an apply of the plan changes or moves the resource; a deferred change is left to a later plan. */
function isMade({ changeType, changeReasons }: IacResourceRow): boolean {
  const { reasons, previousAddress } = changeReasons ?? { reasons: [] }
  const isDeferred = reasons.some((reason) => reason.startsWith('DEFERRED_'))
  return !isDeferred && (changeType !== 'NO_OP' || previousAddress !== undefined)
}

/** The addresses of what is as configured now: what a look found of it before is over. */
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
  ...{ address, moduleAddress, indexKey, provider, resourceName, resourceType, changeType, changeReasons },
})

const resourceError = ({ summary, detail }: { summary: string; detail: string }): UserFacingError => ({
  code: failures.iacResourceFailed.code,
  message: summary,
  ...(detail !== '' && { description: detail }),
})
