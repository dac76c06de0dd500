import { expect, test } from 'vitest'
import { configFaults } from '../src/pipelines/pipeline-versions/config/faults.ts'
import { type DemoPipeline, demoPipelines, readPipeline } from './organization.ts'

test.each(Object.keys(demoPipelines) as DemoPipeline[])(
  'the pipeline %s could have been published',
  async (givenId) => {
    expect(configFaults(await readPipeline(givenId))).toEqual([])
  },
)
