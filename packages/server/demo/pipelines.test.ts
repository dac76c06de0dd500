import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { configFaults } from '../src/pipelines/pipeline-versions/config/faults.ts'
import { type DemoPipeline, demoPipelines, readPipeline } from './organization.ts'

test(
  'every demo pipeline can be published',
  everyCase(Object.keys(demoPipelines) as DemoPipeline[], async (givenId) => {
    expect(configFaults(await readPipeline(givenId))).toEqual([])
  }),
)
