import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failures } from '@sluice/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { startWorld, type World } from '../../testing/world.ts'

let world: World
let pipelines: Pipelines
/** Directory outside of the sandboxes, which the programs of the tests read. */
let outside: string

beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'sluice-outside-'))
  vi.stubEnv('SLUICE_RUNNER_ISOLATION', 'none')
  world = await startWorld()
  pipelines = (await world.organization()).pipelines
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world?.[Symbol.asyncDispose]()
  await rm(outside, { recursive: true, force: true })
})

const shell = (id: string, script: string, more: object = {}) => ({
  id,
  type: 'command',
  with: { shell: script },
  ...more,
})

test('programs run in sequence if they depend on each other, otherwise in parallel', async () => {
  const steps = [
    shell('a', 'echo \'{"color": "blue"}\' > $SLUICE_OUTPUT', { needs: [] }),
    shell('b', 'true', { needs: [] }),
    {
      id: 'c',
      type: 'command',
      needs: ['a', 'b'],
      with: { shell: 'test "$COLOR" = blue', environment_variables: { COLOR: '<< steps.a.output.color >>' } },
    },
  ]
  const run = await pipelines.run(steps)
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  for (const step of await pipelines.steps(run.id)) {
    expect(step).toMatchObject({ status: 'SUCCESS', attemptEpoch: 1, engineRunId: expect.stringMatching(/^inv_/) })
  }
})

test('a step with a matrix runs once for each combination, with its values', async () => {
  const test = {
    id: 'test',
    type: 'command',
    strategy: { matrix: { site: ['eu', 'us'], include: [{ site: 'us', zone: 'b' }] }, max_parallel: 1 },
    when: "<< matrix.site != 'none' >>",
    with: {
      shell: 'printf \'{"at": "%s"}\' "$AT" > $SLUICE_OUTPUT',
      environment_variables: { AT: "<< matrix.site >><< matrix.zone || '' >>" },
    },
  }
  const end = shell('end', 'test "$FIRST$LAST" = euusb', {
    with: {
      shell: 'test "$FIRST$LAST" = euusb',
      environment_variables: { FIRST: '<< steps.test.output[0].at >>', LAST: '<< steps.test.output[1].at >>' },
    },
  })
  const run = await pipelines.run([test, end])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await pipelines.steps(run.id)).toMatchObject([
    { stepId: 'test-eu', stepName: 'test (eu)', outputData: { at: 'eu' } },
    { stepId: 'test-us-b', stepName: 'test (us, b)', outputData: { at: 'usb' } },
    { stepId: 'end', status: 'SUCCESS' },
  ])
})

test('a failing program is retried after the back-off', async () => {
  const there = join(outside, 'there')
  const run = await pipelines.run([
    shell('again', `test -e ${there}`, { retry: { attempts: 10, backoff_seconds: 0.2 } }),
  ])
  await eventually(
    'another attempt',
    () => pipelines.step(run.id, 'again'),
    ({ retryAttempt }) => Number(retryAttempt) > 0,
  )
  await writeFile(there, '')
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  const { attemptEpoch, retryAttempt } = await pipelines.step(run.id, 'again')
  expect(attemptEpoch).toBe(Number(retryAttempt) + 1)
})

test('a program that exceeds its timeout is stopped', async () => {
  const run = await pipelines.run([shell('slow', 'sleep 600', { timeout_seconds: 1 })])
  expect(await pipelines.untilOver(run.id)).toMatchObject({
    status: 'ERROR',
    error: { metadata: { stepCode: failures.stepTimedOut.code } },
  })
})

test('a cancel stops the running program, and the run ends after it', async () => {
  const run = await pipelines.run([shell('long', 'sleep 600'), shell('after', 'true')])
  await pipelines.untilStep(run.id, 'long', 'IN_PROGRESS')
  expect(await pipelines.cancel(run.id)).toMatchObject({ status: 'IN_PROGRESS' })
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'CANCELLED' })
  expect((await pipelines.steps(run.id)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
})

test('steps beyond the concurrency limit of a run wait, and all of them run', async () => {
  const steps = Array.from({ length: 24 }, (_, n) => shell(`s${n}`, 'true', { needs: [] }))
  const run = await pipelines.run(steps)
  const isWaiting = (reason: string) => reason === 'CONCURRENCY'
  await eventually(
    'some to wait, or all to be over',
    async () => [await pipelines.get(run.id), ...(await pipelines.steps(run.id))] as const,
    ([{ completedAt }, ...all]) => completedAt !== undefined || all.some((step) => isWaiting(step.queueReason)),
  )
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})
