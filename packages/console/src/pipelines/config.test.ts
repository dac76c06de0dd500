import { describe, expect, test } from 'vitest'
import { needsOf, planningSteps, type StepConfig, stepsBefore, swappedStep } from './config.ts'

const step = (id: string, more: Partial<StepConfig> = {}): StepConfig => ({ id, type: 'command', ...more })

describe('what a step needs', () => {
  test('is the step before it, unless it says otherwise', () => {
    const needs = needsOf([step('a'), step('b'), step('c', { needs: [] }), step('d', { needs: ['a', 'c'] })])
    expect([...needs]).toEqual([
      ['a', []],
      ['b', ['a']],
      ['c', []],
      ['d', ['a', 'c']],
    ])
  })

  test('and what that needs is over before, too: the nearest first, and of equally near ones the last', () => {
    const steps = [step('a'), step('b'), step('c', { needs: ['a'] }), step('d', { needs: ['b', 'c'] })]
    expect(stepsBefore(steps, 'd')).toEqual(['c', 'b', 'a'])
    expect(stepsBefore([...steps, step('e', { needs: [] })], 'e')).toEqual([])
  })
})

describe('the plan that is approved', () => {
  const plans = [step('one', { type: 'iac:plan' }), step('two', { type: 'iac:plan' })]
  const apply = (more: Partial<StepConfig> = {}) => step('apply', { type: 'iac:apply', ...more })

  test('is the one that is applied: the nearest', () => {
    expect(planningSteps([...plans, apply()], 'apply')).toEqual(['two'])
    expect(planningSteps([...plans, apply({ needs: ['one'] })], 'apply')).toEqual(['one'])
  })

  test('or the one that is named', () => {
    expect(planningSteps([...plans, apply({ with: { plan: 'one' } })], 'apply')).toEqual(['one'])
  })

  test('or all of them, where a step only asks', () => {
    expect(planningSteps([...plans, step('ask', { type: 'approval' })], 'ask')).toEqual(['two', 'one'])
  })

  test('and none, where a step does something else', () => {
    expect(planningSteps([...plans, step('release', { type: 'deploy' })], 'release')).toEqual([])
    expect(planningSteps(plans, 'two')).toEqual([])
  })
})

describe('the deployment that a deploy-swap goes on with', () => {
  const deploys = [step('one', { type: 'deploy' }), step('two', { type: 'deploy' }), step('ask', { type: 'approval' })]
  const swap = (more: Partial<StepConfig> = {}) => step('swap', { type: 'deploy-swap', ...more })

  test('is that of the nearest deploy step before, or of the one that it names', () => {
    expect(swappedStep([...deploys, swap()], 'swap')).toBe('two')
    expect(swappedStep([...deploys, swap({ with: { deploy: 'one' } })], 'swap')).toBe('one')
  })

  test('is none of another kind of step', () => {
    expect(swappedStep([...deploys, swap()], 'ask')).toBeUndefined()
  })
})
