import { expect, test } from 'vitest'
import { readPlan } from '../adapter/plan.ts'
import type { PlanFile } from '../adapter/plan-format.ts'
import { reviewOf } from './plan-review.ts'

const identity = { type: 'cloud_thing', name: 'a', provider_name: 'cloud' }
const review = (plan: PlanFile, warnings: Parameters<typeof reviewOf>[1] = [], environment = {}) =>
  reviewOf(readPlan(plan), warnings, environment)

test('reasons are counted, and moves are listed with both addresses', () => {
  const moved = (index: number) => ({
    ...identity,
    address: `cloud_thing.new[${index}]`,
    previous_address: `cloud_thing.old[${index}]`,
    change: { actions: [index === 0 ? 'update' : 'no-op'] },
  })
  const { reasonCounts, moves } = review({ resource_changes: Array.from({ length: 101 }, (_, index) => moved(index)) })
  expect(reasonCounts).toEqual({ MOVE: 101 })
  expect(moves).toHaveLength(100)
  expect(moves.slice(0, 2)).toEqual([
    { address: 'cloud_thing.new[0]', previousAddress: 'cloud_thing.old[0]', changeType: 'UPDATE' },
    { address: 'cloud_thing.new[1]', previousAddress: 'cloud_thing.old[1]', changeType: 'NO_OP' },
  ])
})

test('the first warnings are listed, all are counted, and secrets are masked and long texts truncated', () => {
  const variables = { key: { value: 'correct-horse' } }
  const configuration = { root_module: { variables: { key: { sensitive: true } } } }
  const warnings = Array.from({ length: 60 }, () => ({
    summary: 'Check block assertion failed',
    detail: `correct-horse ${'x'.repeat(5_000)}`,
  }))
  const found = review({ variables, configuration }, warnings)
  expect(found.warningCount).toBe(60)
  expect(found.warnings).toHaveLength(50)
  expect(found.warnings[0]?.detail).toMatch(/^\(sensitive\) x+…$/)
  expect(JSON.stringify(found)).not.toContain('correct-horse')
})

test('an environment variable that no configuration declares produces a warning', () => {
  const configuration = { root_module: { variables: { size: {} } } }
  const environment = { TF_VAR_size: '1', TF_VAR_sise: '2', PATH: '/bin' }
  expect(review({ configuration }, [], environment).warnings).toMatchObject([
    { summary: 'The environment variable TF_VAR_sise has no effect' },
  ])
})

test('outputs are listed up to a limit, and long values are truncated', () => {
  const output = (after: unknown) => ({ actions: ['create'], after })
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`o${index}`, output(index)]))
  const found = review({ output_changes: { ...many, 'a-long-one': output(['x'.repeat(9_000)]) } })
  expect(found.outputChangeCount).toBe(121)
  expect(found.outputChanges).toHaveLength(100)
  expect(found.outputChanges[0]).toEqual({
    name: 'a-long-one',
    changeType: 'CREATE',
    after: expect.stringMatching(/^\["x+…$/),
  })
})
