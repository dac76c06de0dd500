import type { Logger } from 'pino'
import type { InstanceRuns } from '../../modules/module-instances/runs.ts'
import { messagesOf } from '../../pipelines/pipeline-runs/recipients.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { applyInOrder } from './apply.ts'
import { startInstanceRun } from './start.ts'

/** Creates the run functions that module instance operations use. */
export const instanceRuns = (parts: { engine: Engine; log: Logger }): InstanceRuns => ({
  start: startInstanceRun,
  applyInOrder,
  tell: (runs) => notifyEngine(parts, messagesOf({ runs })),
})
