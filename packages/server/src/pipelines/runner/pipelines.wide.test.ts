import { failures, type PipelineStepExecution, type StepLogPage } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { openSignals, type Signals } from '../../testing/signals.ts'
import { startWorld, type World } from '../../testing/world.ts'

let signals: Signals
let world: World
let pipelines: Pipelines
beforeAll(async () => {
  signals = await openSignals()
  world = await startWorld({ env: { SLUICE_RUNNER_CAPACITY: '2' } })
  pipelines = (await world.organization()).pipelines
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await signals?.remove()
})

const command = (id: string, shell: string, more: object = {}) => ({ id, type: 'command', with: { shell }, ...more })

/** Returns a command; scripts are not rendered and get values as environment variables. */
const commandIn = (id: string, environment: Record<string, string>, shell: string) => ({
  ...command(id, shell),
  with: { shell, environment_variables: environment },
})

async function logOf({ id }: PipelineStepExecution): Promise<string> {
  const { body } = await pipelines.client.ask('GET', `/pipeline-step-executions/${id}/logs?limit=100`)
  return (body as StepLogPage).data.map(({ text }) => text).join('')
}
test('commands pass on their outputs, and their logs can be read', async () => {
  const run = await pipelines.run([
    command('build', `echo building; echo '{"image": "app:7"}' >"$SLUICE_OUTPUT"`),
    commandIn('show', { IMAGE: '<< steps.build.output.image >>' }, 'echo "got $IMAGE"'),
  ])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await pipelines.step(run.id, 'build')).toMatchObject({ outputData: { image: 'app:7' }, attemptEpoch: 1 })
  expect(await logOf(await pipelines.step(run.id, 'show'))).toMatch(/\ngot app:7\n$/)
})

test('a failing command is retried as configured, and the log has all attempts', async () => {
  // The name of its home directory is the only difference between attempts.
  const flaky = 'echo "try"; case "$HOME" in *-1/*) exit 1;; esac'
  const run = await pipelines.run([command('flaky', flaky, { retry: { attempts: 3, backoff_seconds: 0 } })])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  const step = await pipelines.step(run.id, 'flaky')
  expect(step).toMatchObject({ attemptEpoch: 2, retryAttempt: 1 })
  const { body } = await pipelines.client.ask('GET', `/pipeline-step-executions/${step.id}/logs`)
  // The number of chunks depends on the speed of the writes.
  expect(new Set((body as StepLogPage).data.map(({ attempt }) => attempt))).toEqual(new Set([1, 2]))
})

test('a cancelled run ends its command', async () => {
  const run = await pipelines.run([command('long', 'echo here; sleep 300')])
  await eventually(
    'the command to run',
    async () => logOf(await pipelines.step(run.id, 'long')),
    (log) => log.includes('\nhere\n'),
  )
  await pipelines.cancel(run.id)
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'CANCELLED' })
  expect(await pipelines.step(run.id, 'long')).toMatchObject({ status: 'CANCELLED' })
})

test('a command that exceeds its timeout is stopped and fails', async () => {
  const run = await pipelines.run([command('long', 'sleep 300', { timeout_seconds: 1 })])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
  expect(await pipelines.step(run.id, 'long')).toMatchObject({ error: { code: failures.stepTimedOut.code } })
})

test('steps beyond the capacity of the runner wait for it', async () => {
  const steps = ['a', 'b', 'c', 'd'].map((id) => command(id, signals.await('go'), { needs: [] }))
  const run = await pipelines.run(steps)
  const waiting = await eventually(
    'two to run and two to wait',
    () => pipelines.steps(run.id),
    (all) => all.filter(({ status }) => status === 'IN_PROGRESS').length === 2,
  )
  const queued = waiting.filter(({ status }) => status === 'QUEUED')
  expect(queued.map(({ queueReason }) => queueReason)).toEqual(['RUNNER_CAPACITY', 'RUNNER_CAPACITY'])
  await signals.give('go')
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})

test('a secret is visible only to the program', async () => {
  const { client, projectId } = pipelines
  const secret = 'correct-horse-battery'
  const definition = { key: 'token', schema: { type: 'string' }, isSensitive: true }
  const { id } = await client.done<{ id: string }>('POST', '/default-value-definitions', { data: definition })
  const value = { defaultValueDefinitionId: id, parentType: 'project', parentId: projectId, value: secret }
  await client.done('POST', '/default-values', { data: value })
  const shell = [
    'echo "it is $TOKEN."',
    'printf %s "x$TOKEN" | base64',
    'printf "%s" "half of $TOKEN" | cut -c1-15',
    `echo "{\\"token\\": \\"$TOKEN\\", \\"length\\": $(printf %s "$TOKEN" | wc -c)}" >"$SLUICE_OUTPUT"`,
  ].join('\n')
  const given = { shell, environment_variables: { TOKEN: '<< defaults.token >>' } }
  const run = await pipelines.run([
    { id: 'use', type: 'command', with: given },
    commandIn(
      'fail',
      { LENGTH: '<< steps.use.output.length >>', TOKEN: '<< defaults.token >>' },
      'echo "$LENGTH"; echo "$TOKEN"; exit 1',
    ),
  ])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
  const [use, fail] = await Promise.all(['use', 'fail'].map((stepId) => pipelines.step(run.id, stepId)))
  if (!use || !fail) throw new Error('both steps are there')
  expect(use.outputData).toEqual({ token: '***', length: secret.length })
  expect(use.inputData).toMatchObject({ environment_variables: { TOKEN: '***' } })
  expect(await logOf(use)).toContain('\nit is ***.\n')
  const log = await logOf(fail)
  expect(log).toContain(`\n${secret.length}\n***\n`)
  const shown = JSON.stringify([use, fail, await logOf(use), log])
  expect(shown).not.toContain(secret)
  expect(shown).not.toContain(Buffer.from(secret).toString('base64').slice(4, 20))
  expect(await logOf(use)).toContain('half of correct') // a part of a secret is not a secret
})
