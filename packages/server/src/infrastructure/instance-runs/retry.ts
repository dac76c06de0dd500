import { lockModuleInstance } from '../../modules/module-instances/store.ts'
import type { ModuleInstanceRow } from '../../modules/module-instances/tables.ts'
import type { RetryOfInstance } from '../../pipelines/pipeline-runs/retry.ts'
import type { PipelineRunRow } from '../../pipelines/pipelines/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { subjectOf } from './ended.ts'
import { executionEnvironmentOfInput } from './place.ts'
import { setInProgress } from './start.ts'

/**
 * Retries an instance's latest run with its inputs. Older runs are not retried, because they would undo later changes.
 */
export const retryOfInstance: RetryOfInstance = async (tx, run, start) => {
  if (run.moduleInstanceId === null) return start({})
  const instance = await lockLasting(tx, run, run.moduleInstanceId)
  const subject = subjectOf(run)
  if (subject && instance.latestRunId !== run.id) throw outdated(run, instance)
  const action = subject?.action ?? 'change'
  const place = await executionEnvironmentOfInput(tx, run.organizationId, [subject?.input ?? {}, run.inputs], action)
  const retry = await start({ executionEnvironmentId: place.id })
  if (subject) await setInProgress(tx, instance, action, retry.id)
  return retry
}

async function lockLasting(tx: Db, { organizationId, id }: PipelineRunRow, of: string): Promise<ModuleInstanceRow> {
  const instance = await lockModuleInstance(tx, organizationId, of)
  if (instance && instance.status !== 'DESTROYED') return instance
  throw new ApiError('moduleInstanceDestroyed', `The module instance ${of} of the run ${id} has been destroyed.`)
}

const outdated = ({ id }: PipelineRunRow, { givenId, latestRunId }: ModuleInstanceRow) =>
  new ApiError(
    'pipelineRunOutdated',
    `The run ${id} is not the latest run of the module instance ${givenId}. The latest is ${latestRunId}.`,
    {
      description: `Retry ${latestRunId}, or apply the instance again with the inputs that it has now.`,
      ...(latestRunId !== null && { metadata: { pipelineRunId: latestRunId } }),
    },
  )
