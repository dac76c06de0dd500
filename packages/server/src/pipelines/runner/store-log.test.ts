import { afterAll, beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { usedBytes } from '../../platform/limits/stored.ts'
import { pipelineRuns, pipelines } from '../pipelines/tables.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from './runner.fixture.ts'

const most = 50_000

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi({ mosts: { storedLogBytes: most } })
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const stored = () => usedBytes(yard.db, yard.organizationId, 'storedLogBytes')

test("steps continue when the organization's log storage is full: their logs are cut with the reason until there is space", async () => {
  await using _runner = await runnerOf(yard.parts())
  const first = await yard.command({ shell: 'head -c 60000 /dev/zero | tr "\\0" "x"; echo' })
  await yard.untilOver(first)
  const firstLog = await yard.logOf(first)
  expect(firstLog).toContain('x'.repeat(60_000))
  expect(await stored(), 'what is stored of the first').toBe(Buffer.byteLength(firstLog))

  // The runner stores its output four times per second, so that each line is a chunk.
  const second = await yard.command({ shell: 'for n in 1 2 3; do echo line $n; sleep 0.4; done' })
  expect((await yard.untilOver(second)).status).toBe('SUCCESS')
  const log = await yard.logOf(second)
  expect(log).toMatch(
    /^The log is cut here\. The limit storedLogBytes is reached: .* may have 50000\. Delete pipelines/,
  )
  expect(log.match(/cut here/g), 'one such line').toHaveLength(1)
  expect(log).not.toContain('line 3')

  const elsewhere = await yard.command({ shell: 'echo unaffected' }, { organization: await yard.organization() })
  expect((await yard.untilOver(elsewhere)).status).toBe('SUCCESS')

  const { pipelineRunId } = await yard.stepOf(first)
  const [run] = await yard.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, pipelineRunId))
  await yard.db.delete(pipelines).where(eq(pipelines.id, run?.pipelineId ?? ''))
  expect(await stored()).toBe(Buffer.byteLength(log))
  const third = await yard.command({ shell: 'echo kept again' })
  await yard.untilOver(third)
  expect(await yard.logOf(third)).toContain('kept again\n')
})
