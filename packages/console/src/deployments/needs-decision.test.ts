import type { Deployment, DeploymentAnalysis } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { needsDecision } from './needs-decision.ts'

const events = [{ stepCode: 'PAUSED', startedAt: '2026-11-01T00:00:00.000Z', hookId: 'h1' }]
const paused = { status: 'IN_PROGRESS', data: { events, pauses: [] } } as unknown as Deployment
const analysis = (hookId: string, outcome: DeploymentAnalysis['outcome']) =>
  ({ hookId, outcome, checks: [], startedAt: '' }) as unknown as DeploymentAnalysis

test(
  'a pause needs a decision unless checks decide',
  everyCase(
    [
      ['no checks', [], true],
      ['checks that are at it', [analysis('h1', 'RUNNING')], false],
      ['checks that could not tell', [analysis('h1', 'INCONCLUSIVE')], true],
      ['checks of the pause before', [analysis('h0', 'RUNNING')], true],
    ],
    (_, analyses, waits) => expect(needsDecision(paused, analyses)).toBe(waits),
  ),
)

test('a deployment without a pause needs no decision', () =>
  expect(needsDecision({ ...paused, status: 'SUCCESS' })).toBe(false))
