import { randomBytes } from 'node:crypto'
import {
  type AcquireAttemptsResponse,
  type Assignment,
  type CompleteAttemptResponse,
  runnerPaths,
} from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { pipelineRuns, pipelineStepExecutions, pipelineVersions } from '../pipelines/tables.ts'
import { type RunnerTestApi, startRunnerTestApi } from './runner.fixture.ts'

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi()
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const runnerId = `rnr_${randomBytes(13).toString('hex')}`
const nothing = { argv: ['true'] }

async function ask<Answer>(path: string, token: string, body: object): Promise<{ status: number; body: Answer }> {
  const headers = { 'content-type': 'application/json' }
  const { status, body: answer } = await yard.ask(path, {
    key: token,
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return { status, body: answer as Answer }
}

async function claim(holds: Pick<Assignment, 'id' | 'attemptEpoch'>[] = [], most = 1): Promise<Assignment[]> {
  const body = { runnerId, most, holds, waitMs: 0 }
  return (await ask<AcquireAttemptsResponse>(runnerPaths.claim, yard.runnerToken, body)).body.attempts
}

/** Starts a run of two steps, the first of which is leased by the runner. */
async function begunRun(given: Record<string, unknown> = nothing) {
  const own = yard.organizationId
  const first = await yard.command(nothing)
  const { pipelineRunId } = await yard.stepOf(first)
  const [run] = await yard.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, pipelineRunId))
  const steps = ['a', 'b'].map((id) => ({ id, type: 'command', with: id === 'a' ? nothing : given }))
  const version = eq(pipelineVersions.id, run?.pipelineVersionId ?? '')
  await yard.db.update(pipelineVersions).set({ config: { steps } }).where(version)
  const second = newId('step')
  const waiting = { status: 'QUEUED', queueReason: 'DEPENDENCIES', queueMetadata: {} } as const
  const name = { stepId: 'b', stepName: 'b', stepType: 'command', engineWorkflowId: second, position: 1 }
  const row = { id: second, organizationId: own, pipelineRunId, ...name, ...waiting }
  await yard.db.insert(pipelineStepExecutions).values(row)
  const [attempt] = await claim()
  if (attempt?.id !== first) throw new Error('the first step was not claimed')
  return { attempt, second }
}

const settle = ({ token }: Assignment, more: object = { goesOn: true }) =>
  ask<CompleteAttemptResponse>(runnerPaths.settle, token, {
    outcome: { status: 'SUCCESS', output: { name: 'it' } },
    log: [],
    ...more,
  })

describe('after the end of a step, its runner', () => {
  test('gets the next step of the run, which starts at once', async () => {
    const { attempt, second } = await begunRun()
    expect(attempt.mayGoOn).toBe(true)
    const { body } = await settle(attempt)
    expect(body.next).toMatchObject({ id: second, attemptEpoch: 1, order: { kind: 'command', argv: ['true'] } })
    const [before, after] = await Promise.all([attempt.id, second].map((id) => yard.stepOf(id)))
    expect(after).toMatchObject({ status: 'IN_PROGRESS', runnerId, inputData: nothing, startedAt: before?.completedAt })
    if (!body.next) throw new Error('there is a next one')
    expect((await settle(body.next)).body).toEqual({})
  })

  test('gets it with the next lease request if the response was lost, and the end is stored once', async () => {
    const { attempt, second } = await begunRun()
    await settle(attempt)
    expect((await settle(attempt)).status).toBe(410)
    const [again] = await claim()
    expect(again).toMatchObject({ id: second, attemptEpoch: 1 })
    if (again) await settle(again)
  })

  test('gets the rendered templates of the next step', async () => {
    const { attempt, second } = await begunRun({ argv: ['echo', '<< steps.a.output.name >>'] })
    const { body } = await settle(attempt)
    expect(body.next?.order).toMatchObject({ argv: ['echo', 'it'] })
    expect(await yard.stepOf(second)).toMatchObject({ inputData: { argv: ['echo', 'it'] } })
    if (body.next) await settle(body.next)
  })

  test('gets nothing without requesting it', async () => {
    const { attempt, second } = await begunRun()
    expect((await settle(attempt, {})).body).toEqual({})
    expect(await yard.stepOf(second)).toMatchObject({ status: 'QUEUED', queueReason: 'RUNNER_CAPACITY' })
    for (const one of await claim()) await settle(one)
  })

  test('gets no step while another organization waits', async () => {
    const { attempt, second } = await begunRun()
    const other = await yard.command(nothing, { organization: await yard.organization() })
    expect((await settle(attempt)).body).toEqual({})
    const attempts = await claim([], 2)
    expect(attempts.map(({ id }) => id).toSorted()).toEqual([second, other].toSorted())
    for (const one of attempts) await settle(one)
  })

  test('gets no step while an older step of the organization waits', async () => {
    const older = await yard.command(nothing, { step: { queueReason: 'DEPENDENCIES' } })
    const { attempt, second } = await begunRun()
    const ready = { queueReason: 'RUNNER_CAPACITY' } as const
    await yard.db.update(pipelineStepExecutions).set(ready).where(eq(pipelineStepExecutions.id, older))
    expect((await settle(attempt)).body).toEqual({})
    const attempts = await claim([], 2)
    expect(attempts.map(({ id }) => id).toSorted()).toEqual([older, second])
    for (const one of attempts) await settle(one)
  })
})
