import type { CommandOrder } from '@sluice/contract/runner-protocol'
import { unknown } from '@sluice/expressions'
import type { Db } from '../../platform/db/open.ts'
import type { StepWith } from '../pipeline-versions/config/schema.ts'
import { stepsBefore } from '../pipeline-versions/config/steps.ts'
import type { AttemptToOrder } from '../runner/order.ts'
import { StepFailure } from '../runner/step-failure.ts'
import { listUploaded } from './store.ts'

/** Returns the artifacts that an attempt uploads and downloads; undefined if its step has none. */
export async function artifactsOf(
  db: Db,
  { run, step, config }: AttemptToOrder,
  { artifacts }: StepWith<'command'>,
): Promise<CommandOrder['artifacts']> {
  if (!artifacts) return undefined
  const { upload = [], download = [] } = artifacts
  if (download.length === 0) return { upload, download: [] }
  const index = config.steps.findIndex(({ id }) => id === step.stepId)
  const uploaded = await listUploaded(db, run, stepsBefore(config.steps, index))
  return {
    upload,
    download: download.map(({ name, path = '.' }) => {
      const found = uploaded.find((one) => one.name === name)
      if (!found)
        throw notFound(
          name,
          uploaded.map((one) => one.name),
        )
      const { id, pieceCount, sha256 } = found
      return { id, name, path, pieceCount, sha256 }
    }),
  }
}

const notFound = (name: string, others: string[]): StepFailure =>
  new StepFailure(
    'stepArtifactNotFound',
    `Cannot download the artifact ${name}: ${unknown('no step before this one has uploaded it', name, others)}.`,
    {
      description:
        'A step uploads its artifacts when it succeeds. They are deleted 14 days later: retry the run from its start.',
    },
  )
