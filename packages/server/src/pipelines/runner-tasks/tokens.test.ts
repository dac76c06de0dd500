import { randomBytes } from 'node:crypto'
import { runnerPaths } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'
import { type RunnerTestApi, startRunnerTestApi } from '../runner/runner.fixture.ts'
import { beginTasks } from './begin.ts'
import { runnerTasks } from './tables.ts'
import { createTaskTokens } from './tokens.ts'

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi()
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const newKey = () => randomBytes(32).toString('base64url')
const clock = () => new Date()

async function knock(path: string, token: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const answer = await yard.ask(path, { key: token, method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: answer.body }
}
const redeem = (token: string, key = newKey()) => knock(runnerPaths.redeem, token, { key })
const claim = (token: string, runnerId: string) =>
  knock(runnerPaths.claim, token, { runnerId, most: 5, holds: [], waitMs: 0 })

/** Starts a step that waits for a cloud task, and returns its launch token and row. */
async function begun(organization?: Awaited<ReturnType<RunnerTestApi['organization']>>) {
  const whose = organization ?? { organizationId: yard.organizationId, projectId: yard.projectId }
  const environmentId = newId('ee')
  const named = { givenId: environmentId.replace('_', '-'), name: 'Tasks', kind: 'cloud' as const }
  await yard.db
    .insert(executionEnvironments)
    .values({ id: environmentId, organizationId: whose.organizationId, ...named, readyAt: clock() })
  const step = { executionEnvironmentId: environmentId }
  const stepId = await yard.command({ argv: ['true'] }, { step, organization: whose })
  await beginTasks({ db: yard.db, taskTokens: yard.taskTokens, clock })
  const [task] = await yard.db.select().from(runnerTasks).where(eq(runnerTasks.stepExecutionId, stepId))
  if (!task) throw new Error('no task was begun')
  return { stepId, task, token: yard.taskTokens.launch(task.id) }
}

test('the token of a task is valid for one runner, which may repeat the request, and no usable token is stored', async () => {
  const { task, token, stepId } = await begun()
  expect(JSON.stringify(task)).not.toContain(token)
  const key = newKey()
  const first = await redeem(token, key)
  expect(first).toMatchObject({ status: 200, body: { runnerId: expect.stringMatching(/^rnr_/) } })
  expect(await redeem(token, key), 'the answer was lost').toEqual(first)
  expect((await redeem(token)).status, 'another runner').toBe(401)
  const { runnerId, token: session } = first.body
  const claimed = await claim(session, runnerId)
  expect(claimed.body).toMatchObject({ attempts: [{ id: stepId, attemptEpoch: 1, tenancy: { runner: 'own' } }] })
  expect(await claim(session, runnerId), 'it is given again').toMatchObject({ body: { attempts: [{ id: stepId }] } })
  const kept = await yard.db.select().from(runnerTasks).where(eq(runnerTasks.id, task.id))
  for (const secret of [token, key, session]) expect(JSON.stringify(kept)).not.toContain(secret)
})

test('tokens of tasks authorize nothing else: neither runner endpoints nor another task, organization or attempt', async () => {
  const mine = await begun()
  const theirs = await begun(await yard.organization())
  const { body } = await redeem(mine.token, newKey())
  const { body: other } = await redeem(theirs.token, newKey())
  const forged = createTaskTokens([randomBytes(32)])
  const { organizationId, stepExecutionId: id } = mine.task
  const refused: [string, number, ...Parameters<typeof claim>][] = [
    ['the launch token claims nothing', 401, mine.token, body.runnerId],
    [
      'a token made with another key',
      401,
      forged.session.issue({ organizationId, id, attemptEpoch: 1 }),
      body.runnerId,
    ],
    ['the epoch after', 401, yard.taskTokens.session.issue({ organizationId, id, attemptEpoch: 2 }), body.runnerId],
    ['the name of another runner', 410, body.token, other.runnerId],
  ]
  for (const [what, status, ...asked] of refused) expect([what, (await claim(...asked)).status]).toEqual([what, status])
  expect((await redeem(forged.launch(mine.task.id))).status).toBe(401)
  expect((await redeem(yard.runnerToken)).status).toBe(401)
  expect((await yard.ask('/pipelines', { key: body.token })).status).toBe(401)
  const { body: own } = await claim(body.token, body.runnerId)
  expect(own.attempts.map((one: { id: string }) => one.id)).toEqual([mine.stepId])
})

test('they expire with the attempt', async () => {
  const { stepId, token } = await begun()
  const key = newKey()
  const { body } = await redeem(token, key)
  await yard.db.update(pipelineStepExecutions).set({ attemptEpoch: 2 }).where(eq(pipelineStepExecutions.id, stepId))
  expect((await redeem(token, key)).status).toBe(401)
  expect((await claim(body.token, body.runnerId)).status).toBe(410)
  const beat = { runnerId: body.runnerId, attempts: [{ id: stepId, attemptEpoch: 1 }] }
  expect((await knock(runnerPaths.heartbeat, body.token, beat)).body).toMatchObject({ attempts: [{ verdict: 'lost' }] })
})

test('no task is started for steps of shared runners and pools, and only one for a step', async () => {
  const shared = await yard.command({ argv: ['true'] })
  const { stepId } = await begun()
  expect(await beginTasks({ db: yard.db, taskTokens: yard.taskTokens, clock })).toEqual([])
  expect(await yard.stepOf(shared)).toMatchObject({ status: 'QUEUED' })
  expect(await yard.stepOf(stepId)).toMatchObject({ status: 'IN_PROGRESS', attemptEpoch: 1 })
})
