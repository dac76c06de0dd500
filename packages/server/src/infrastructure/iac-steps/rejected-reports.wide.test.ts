import { type RunnerPath, runnerPaths } from '@sluice/contract/runner-protocol'
import { ApiError } from '@sluice/runner/api/call'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type IacWorld, missingToolReason, startIacWorld } from './iac-world.fixture.ts'

const why = await missingToolReason()
const source = { files: { 'main.tf': 'resource "terraform_data" "web" { input = "web" }' } }

describe.skipIf(why !== undefined)(`a report that the API rejects${why === undefined ? '' : ` [${why}]`}`, () => {
  let world: IacWorld
  let rejected: RunnerPath | undefined
  beforeAll(async () => {
    world = await startIacWorld({
      callThrough: (call) => async (path, token, body, options) => {
        if (path === rejected) throw new ApiError(400, { message: 'The request has a fault.' })
        return call(path, token, body, options)
      },
    })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  /** Plans and applies while the API rejects reports at a path. */
  async function applyRejecting(path: RunnerPath) {
    const [stackId, runId] = [await world.stack(), await world.run()]
    rejected = undefined
    expect(await world.do(runId, 'iac:plan', { stack_id: stackId, source })).toMatchObject({
      outcome: { status: 'SUCCESS' },
    })
    rejected = path
    return (await world.do(runId, 'iac:apply', {})).outcome
  }

  test('ends its step with an error that names the report', async () => {
    expect(await applyRejecting(runnerPaths.applied)).toMatchObject({
      status: 'ERROR',
      error: {
        message: expect.stringMatching(/POST \/runner\/attempt\/applied was answered with the status 400: .* fault\.$/),
        metadata: { path: runnerPaths.applied, status: 400 },
      },
    })
  })

  test('does not end it if it only reports progress', async () => {
    expect(await applyRejecting(runnerPaths.progress)).toMatchObject({ status: 'SUCCESS' })
  })
})
