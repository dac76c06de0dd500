import { failures, type UserFacingError } from '@sluice/contract'
import { isObject } from '../../modules/module-instances/inputs/check.ts'
import { afterRun } from '../../modules/module-instances/machine.ts'
import { lockModuleInstance, removeModuleInstance, updateModuleInstance } from '../../modules/module-instances/store.ts'
import {
  type ModuleInstanceApplyRow,
  type ModuleInstanceRow,
  moduleInstanceApplies,
} from '../../modules/module-instances/tables.ts'
import { type PipelineRunRow, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, eq, inArray, isNotNull } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { hasHistory } from './history.ts'
import { type RunSubject, startInstanceRun } from './start.ts'

/**
 * Updates the module instance after its run ended and starts the runs that waited for it. Call it in the transaction
 * that ends the run, and notify the engine of the returned run ids.
 */
export async function instanceRunEnded(tx: Db, run: PipelineRunRow, now: Date): Promise<string[]> {
  const subject = subjectOf(run)
  if (!subject || run.moduleInstanceId === null) return []
  const instance = await lockModuleInstance(tx, run.organizationId, run.moduleInstanceId)
  if (!instance || instance.status === 'DESTROYED') return []
  await showEnd(tx, instance, run, subject, now)
  if (subject.action === 'destroy') return []
  return run.status === 'SUCCESS'
    ? startWaiting(tx, run.organizationId, instance.id, now)
    : dropWaiting(tx, run.organizationId, instance)
}

/** Returns what a run changes or destroys; undefined if it only plans or has no instance. */
export function subjectOf({ trigger }: Pick<PipelineRunRow, 'trigger'>): RunSubject | undefined {
  const payload = trigger?.payload
  if (!isObject(payload) || typeof payload.module_version_id !== 'string' || !isObject(payload.input)) return undefined
  const { action, module_version_id, input } = payload
  return action === 'change' || action === 'destroy' ? { action, module_version_id, input } : undefined
}

async function showEnd(
  tx: Db,
  instance: ModuleInstanceRow,
  run: PipelineRunRow,
  subject: RunSubject,
  now: Date,
): Promise<void> {
  const { organizationId, id } = instance
  const { status, error } = run
  if (status !== 'SUCCESS' && status !== 'ERROR' && status !== 'CANCELLED') {
    throw new Error(`the run ${run.id} is not over: ${status}`)
  }
  const isApplied = instance.appliedAt !== null
  const left = afterRun(
    {
      action: subject.action,
      status,
      hasTouched: await hasTouched(tx, run),
      isRejected: error?.code === failures.stepRejected.code,
      error,
    },
    isApplied,
  )
  if (left.status === 'DESTROYED') {
    await removeModuleInstance(tx, organizationId, id, hasHistory)
    return
  }
  const applied =
    status === 'SUCCESS' && subject.action === 'change'
      ? { appliedVersionId: subject.module_version_id, appliedInput: subject.input, appliedAt: now }
      : {}
  // A newer run sets the status itself.
  const shown = instance.latestRunId === run.id ? left : {}
  await updateModuleInstance(tx, organizationId, id, { ...applied, ...shown })
}

const touching = ['iac:apply', 'iac:destroy']

/** Reports whether a step that changes infrastructure has started. */
async function hasTouched(tx: Db, { organizationId, id }: PipelineRunRow): Promise<boolean> {
  const [row] = await tx
    .select({ id: pipelineStepExecutions.id })
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.pipelineRunId, id),
        inArray(pipelineStepExecutions.stepType, touching),
        isNotNull(pipelineStepExecutions.startedAt),
      ),
    )
    .limit(1)
  return row !== undefined
}

const ofOrganization = (organizationId: string) => eq(moduleInstanceApplies.organizationId, organizationId)

const waitingFor = async (tx: Db, organizationId: string, id: string): Promise<ModuleInstanceApplyRow[]> => {
  const rows = await tx
    .select()
    .from(moduleInstanceApplies)
    .where(ofOrganization(organizationId))
    .orderBy(moduleInstanceApplies.moduleInstanceId)
    .for('update')
  return rows.filter(({ waitsFor }) => waitsFor.includes(id))
}

const oneApply = ({ organizationId, moduleInstanceId }: ModuleInstanceApplyRow) =>
  and(ofOrganization(organizationId), eq(moduleInstanceApplies.moduleInstanceId, moduleInstanceId))

/** Starts instances that waited only for this one. */
async function startWaiting(tx: Db, organizationId: string, id: string, now: Date): Promise<string[]> {
  const started: string[] = []
  for (const row of await waitingFor(tx, organizationId, id)) {
    const waitsFor = row.waitsFor.filter((other) => other !== id)
    if (waitsFor.length > 0) {
      await tx.update(moduleInstanceApplies).set({ waitsFor }).where(oneApply(row))
      continue
    }
    await tx.delete(moduleInstanceApplies).where(oneApply(row))
    started.push(...(await startApply(tx, row, now)))
  }
  return started
}

async function startApply(tx: Db, row: ModuleInstanceApplyRow, now: Date): Promise<string[]> {
  const instance = await lockModuleInstance(tx, row.organizationId, row.moduleInstanceId)
  if (!instance || instance.status === 'DESTROYED') return []
  try {
    const { runIds } = await startInstanceRun(tx, instance, 'change', { ...row, now })
    return runIds
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { details } = error.extras
    const shown = { code: failures.stackNotRun.code, message: error.message, ...(details && { details }) }
    await giveUp(tx, instance, shown)
    return dropWaiting(tx, row.organizationId, instance)
  }
}

/** Cancels instances that waited for one that was not applied. */
async function dropWaiting(tx: Db, organizationId: string, failed: ModuleInstanceRow): Promise<string[]> {
  for (const row of await waitingFor(tx, organizationId, failed.id)) {
    await tx.delete(moduleInstanceApplies).where(oneApply(row))
    const instance = await lockModuleInstance(tx, organizationId, row.moduleInstanceId)
    if (!instance) continue
    const message = `${failed.givenId}, which ${instance.givenId} refers to, was not applied.`
    await giveUp(tx, instance, { code: failures.applyBeforeFailed.code, message })
    await dropWaiting(tx, organizationId, instance)
  }
  return []
}

async function giveUp(tx: Db, instance: ModuleInstanceRow, error: UserFacingError): Promise<void> {
  await updateModuleInstance(tx, instance.organizationId, instance.id, { status: 'ERROR', error })
}
