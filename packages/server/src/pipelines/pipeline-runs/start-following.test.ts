import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { stepRow } from './rows.fixture.ts'
import { startFollowing } from './start-following.ts'

const now = new Date('2026-03-05T11:00:00Z')
const leaseUntil = new Date('2026-03-05T11:00:30Z')
const waiting = stepRow({ id: 'step_2', stepId: 'b' })
const ready = { queueReason: 'RUNNER_CAPACITY', queueMetadata: { limit: 1 } } as const

/** Returns what happens to step b, which waited for the end of another step. */
function begun({ b = {}, oldestWaiting, given = { argv: ['true'] } }: How = {}) {
  const steps = [stepRow({ status: 'SUCCESS' }), { ...waiting, ...ready, ...b }]
  const config = { steps: [{ id: 'b', type: 'command' as const, with: given }] }
  return startFollowing(
    { runnerId: 'rnr_1', leaseUntil, oldestWaiting },
    { before: [stepRow(), waiting], steps, config, now },
  )
}

type How = { b?: Partial<PipelineStepExecutionRow>; oldestWaiting?: string; given?: Record<string, unknown> }

describe('the runner that ended a step', () => {
  test('starts the next step with its input, as if it had leased it', () => {
    expect(begun()).toMatchObject({
      id: 'step_2',
      status: 'IN_PROGRESS',
      attemptEpoch: 1,
      runnerId: 'rnr_1',
      leaseUntil,
      startedAt: now,
      queueMetadata: {},
      inputData: { argv: ['true'] },
    })
  })

  test('renders the input of the next step later if it contains templates', () => {
    expect(begun({ given: { argv: ['echo', '<< inputs.a >>'] } })).toMatchObject({ attemptEpoch: 1, inputData: null })
    expect(begun({ given: { shell: 'cat <<EOF' } })).toMatchObject({ inputData: { shell: 'cat <<EOF' } })
  })

  test('continues with it before steps that were queued later', () => {
    expect(begun({ oldestWaiting: 'step_3' })).toBeDefined()
  })

  test(
    'leaves a step that it cannot run to the next lease request',
    everyCase<[string, How]>(
      [
        ['a step that another waits before', { oldestWaiting: 'step_1' }],
        ['a step of a pool', { b: { executionEnvironmentId: 'env_1' } }],
        ['a step that works on a stack', { b: { stackId: 'stk_1', stepType: 'iac:plan' } }],
        ['a step that a worker carries out', { b: { stepType: 'http' } }],
        ['a step whose turn has not come', { b: { queueReason: 'DEPENDENCIES' } }],
      ],
      (_, how) => {
        expect(begun(how)).toBeUndefined()
      },
    ),
  )
})
