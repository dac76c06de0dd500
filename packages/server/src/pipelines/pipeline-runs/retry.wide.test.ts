import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEvent, PipelineRun, Role, RunRetries } from '@sluice/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { apiErrorOf } from '../../testing/api-errors.ts'
import type { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
let organization: TestOrganization
let pipelines: Pipelines
/** Directory outside of the sandboxes, which the programs of the tests read and write. */
let outside: string

beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'sluice-retry-'))
  vi.stubEnv('SLUICE_RUNNER_ISOLATION', 'none')
  world = await startWorld()
  organization = await world.organization()
  pipelines = organization.pipelines
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world?.[Symbol.asyncDispose]()
  await rm(outside, { recursive: true, force: true })
})

let names = 0
/** Returns a new file, to which programs append or whose existence lets them succeed. */
const file = () => join(outside, String(++names))
const shell = (id: string, script: string, more: object = {}) => ({
  id,
  type: 'command',
  with: { shell: script },
  ...more,
})
const pathOf = (runId: string) => `/pipeline-runs/${runId}/retry`
const retry = (runId: string, data: object = {}, client: Client = organization.client) =>
  client.done<PipelineRun>('POST', pathOf(runId), { data })
const retriesOf = async (runId: string) => {
  const { body } = await organization.client.ask('GET', `/pipeline-runs/${runId}?include=retries`)
  return (body as { included: { retries: RunRetries } }).included.retries
}
const idIn = ({ body }: { body: unknown }) => (body as { data: PipelineRun }).data.id
const actionsAbout = async (id: string) => {
  const path = `/audit-events?resourceId=${id}&limit=100`
  const events = await organization.client.done<AuditEvent[]>('GET', path)
  return new Map(events.map(({ action, details }) => [action, details]))
}

/** Creates a run that fails at its last step until `there` exists; each step writes its name. */
async function failedRun(more: object[] = []) {
  const [done, there] = [file(), file()]
  const run = await pipelines.run([
    shell('build', `echo build >> ${done}; echo '{"image": "web:7"}' > $SLUICE_OUTPUT`),
    ...more,
    {
      id: 'release',
      type: 'command',
      with: {
        shell: `echo "release $IMAGE" >> ${done}; test -e ${there}`,
        environment_variables: { IMAGE: '<< steps.build.output.image >>' },
      },
    },
    shell('tell', `echo tell >> ${done}`),
  ])
  const lines = async () => (await readFile(done, 'utf8')).trim().split('\n')
  return { run, lines, mend: () => writeFile(there, '') }
}

test('a retry executes the failed steps and their dependents, and takes over the others with their outputs', async () => {
  const { run, lines, mend } = await failedRun()
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
  await mend()
  const again = await retry(run.id)
  expect(again).toMatchObject({
    status: 'QUEUED',
    pipelineId: run.pipelineId,
    pipelineVersionId: run.pipelineVersionId,
    inputs: run.inputs,
  })
  expect(again.id).not.toBe(run.id)
  expect(await pipelines.untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await lines()).toEqual(['build', 'release web:7', 'release web:7', 'tell'])

  const build = await pipelines.step(run.id, 'build')
  expect(await pipelines.step(again.id, 'build')).toMatchObject({
    status: 'SUCCESS',
    outputData: { image: 'web:7' },
    completedAt: build.completedAt,
    statusDetail: { takenOver: { pipelineRunId: run.id, pipelineStepExecutionId: build.id } },
  })
  expect(await pipelines.get(run.id)).toMatchObject({ status: 'ERROR' })
  expect(await retriesOf(again.id)).toEqual({ retryOf: { id: run.id, number: 1 } })
  expect(await retriesOf(run.id)).toEqual({ retriedBy: { id: again.id, number: 2 } })
  expect((await actionsAbout(run.id)).get('pipeline-runs.retry')).toMatchObject({
    retriedByRunId: again.id,
    takenOver: ['build'],
  })
  expect((await actionsAbout(again.id)).get('pipeline-runs.create')).toMatchObject({ retryOf: run.id })
})

test('a failed retry can be retried, and still takes over the steps of the first run', async () => {
  const { run, lines, mend } = await failedRun()
  await pipelines.untilOver(run.id)
  const second = await retry(run.id)
  await pipelines.untilOver(second.id)
  expect(await organization.client.ask('POST', pathOf(run.id))).toMatchObject({
    ...apiErrorOf('pipelineRunRetried'),
    body: { metadata: { pipelineRunId: second.id } },
  })
  await mend()
  const third = await retry(second.id)
  expect(await pipelines.untilOver(third.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await lines()).toEqual(['build', 'release web:7', 'release web:7', 'release web:7', 'tell'])
  expect(await pipelines.step(third.id, 'build')).toMatchObject({
    statusDetail: { takenOver: { pipelineRunId: run.id } },
  })
})

test('one of many concurrent retries succeeds, and the others name it', async () => {
  const { run } = await failedRun()
  await pipelines.untilOver(run.id)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => organization.client.ask('POST', pathOf(run.id), { data: {} })),
  )
  const accepted = answers.filter(({ status }) => status === 201).map(idIn)
  expect(accepted).toHaveLength(1)
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(refused).toMatchObject({
      ...apiErrorOf('pipelineRunRetried'),
      body: { metadata: { pipelineRunId: accepted[0] } },
    })
  }
})

test('a retry with an idempotency key is created once', async () => {
  const { run } = await failedRun()
  await pipelines.untilOver(run.id)
  const json = JSON.stringify({ data: {} })
  const ask = () => organization.client.send('POST', pathOf(run.id), { json, headers: { 'idempotency-key': run.id } })
  const [first, second] = [await ask(), await ask()]
  expect(first.status).toBe(201)
  expect(second).toMatchObject({ status: 201, body: { data: { id: idIn(first) } } })
})

test('a run that is active, successful or unknown cannot be retried', async () => {
  const waiting = await pipelines.run([{ id: 'gate', type: 'approval' }])
  await pipelines.until(waiting.id, 'PENDING_APPROVAL')
  const ask = (id: string) => organization.client.ask('POST', pathOf(id))
  expect(await ask(waiting.id)).toMatchObject(apiErrorOf('pipelineRunNotRetriable'))
  await pipelines.approve(waiting.id, 'gate')
  await pipelines.untilOver(waiting.id)
  expect(await ask(waiting.id)).toMatchObject(apiErrorOf('pipelineRunNotRetriable'))
  expect(await ask('run_x')).toMatchObject(apiErrorOf('pipelineRunNotFound'))
  const { client: stranger } = await world.organization()
  const { run } = await failedRun()
  await pipelines.untilOver(run.id)
  expect(await stranger.ask('POST', pathOf(run.id))).toMatchObject(apiErrorOf('pipelineRunNotFound'))
})

test('an approval is not requested again, except for a step that is executed again', async () => {
  const [there, done] = [file(), file()]
  const run = await pipelines.run([
    { id: 'gate', type: 'approval' },
    shell('release', `echo released >> ${done}; test -e ${there}`, { approval: {} }),
  ])
  await pipelines.approve(run.id, 'gate')
  await pipelines.approve(run.id, 'release')
  await pipelines.untilOver(run.id)
  await writeFile(there, '')
  const again = await retry(run.id)
  await pipelines.untilStep(again.id, 'release', 'PENDING_APPROVAL')
  expect(await pipelines.step(again.id, 'gate')).toMatchObject({
    status: 'SUCCESS',
    statusDetail: { decision: { approved: true } },
  })
  await pipelines.approve(again.id, 'release')
  expect(await pipelines.untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
})

test('a cancelled run is retried from where it was stopped, with the same version', async () => {
  const done = file()
  const { id: pipelineId } = await pipelines.create({
    steps: [
      shell('first', `echo first >> ${done}`),
      { id: 'gate', type: 'approval' },
      shell('last', `echo last >> ${done}`),
    ],
  })
  const run = await pipelines.start(pipelineId)
  await pipelines.until(run.id, 'PENDING_APPROVAL')
  await pipelines.cancel(run.id)
  await pipelines.untilOver(run.id)
  const data = { pipelineId, config: { steps: [shell('other', 'false')] } }
  await organization.client.done('POST', '/pipeline-versions', { data })
  const again = await retry(run.id)
  expect(again.pipelineVersionId).toBe(run.pipelineVersionId)
  await pipelines.approve(again.id, 'gate')
  expect(await pipelines.untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await readFile(done, 'utf8')).toBe('first\nlast\n')
})

test('a retry waits for its concurrency group', async () => {
  const there = file()
  const { id } = await pipelines.create({
    inputs: [{ id: 'wait', type: 'boolean', default: false }],
    concurrency: { group: `retries-${names}` },
    steps: [
      shell('first', 'true'),
      { id: 'gate', type: 'approval', when: '<< inputs.wait >>' },
      shell('last', `test -e ${there}`, { needs: ['first'] }),
    ],
  })
  const run = await pipelines.start(id)
  await pipelines.untilOver(run.id)
  await writeFile(there, '')
  const holder = await pipelines.start(id, { wait: true })
  await pipelines.untilStep(holder.id, 'gate', 'PENDING_APPROVAL')
  const again = await retry(run.id)
  const held = await eventually(
    'the step to wait for its concurrency group',
    () => pipelines.step(again.id, 'last'),
    ({ queueReason }) => queueReason === 'CONCURRENCY',
  )
  expect(held).toMatchObject({ queueMetadata: { heldByRunId: holder.id } })
  expect(await pipelines.step(again.id, 'first')).toMatchObject({ status: 'SUCCESS' })
  await pipelines.approve(holder.id, 'gate')
  expect(await pipelines.untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
})

test('an admin can retry a run without a step, with a recorded reason; other roles cannot', async () => {
  const { run, lines } = await failedRun()
  await pipelines.untilOver(run.id)
  const data = { skip: ['release'], reason: 'It was released by hand.' }
  const as = (role: Role) => organization.member(role)
  expect(await (await as('DEVELOPER')).ask('POST', pathOf(run.id), { data })).toMatchObject(apiErrorOf('forbidden'))
  expect(await (await as('VIEWER')).ask('POST', pathOf(run.id))).toMatchObject(apiErrorOf('forbidden'))
  const ask = (skipped: object) => organization.client.ask('POST', pathOf(run.id), { data: skipped })
  expect(await ask({ skip: ['release'] })).toMatchObject(apiErrorOf('requestInvalid'))
  expect(await ask({ ...data, skip: ['build'] })).toMatchObject(apiErrorOf('stepNotSkippable'))
  expect(await ask({ ...data, skip: ['none'] })).toMatchObject(apiErrorOf('stepNotSkippable'))

  const again = await retry(run.id, data, await as('ADMIN'))
  expect(await pipelines.untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await lines()).toEqual(['build', 'release web:7', 'tell'])
  expect(await pipelines.step(again.id, 'release')).toMatchObject({
    status: 'SKIPPED',
    statusDetail: { skipped: expect.stringContaining(data.reason), skippedBy: { reason: data.reason } },
  })
  expect((await actionsAbout(again.id)).get('pipeline-runs.skip')).toEqual({
    steps: ['release'],
    reason: data.reason,
  })
})

test('a run that a developer retries acts for the developer', async () => {
  const { run, mend } = await failedRun()
  await pipelines.untilOver(run.id)
  await mend()
  const developer = await organization.member('DEVELOPER')
  const again = await retry(run.id, {}, developer)
  expect(again.triggeredBy).toContain('developer')
  expect(await pipelines.untilOver(again.id)).toMatchObject({ status: 'SUCCESS' })
})
