import { describe, expect, test } from 'vitest'
import { planningSteps, type StepConfig, stepDependencies, stepsBefore, swappedStep } from './config.ts'

const step = (id: string, more: Partial<StepConfig> = {}): StepConfig => ({ id, type: 'command', ...more })

describe('the dependencies of a step', () => {
  test('are the previous step by default', () => {
    const needs = stepDependencies([step('a'), step('b'), step('c', { needs: [] }), step('d', { needs: ['a', 'c'] })])
    expect([...needs]).toEqual([
      ['a', []],
      ['b', ['a']],
      ['c', []],
      ['d', ['a', 'c']],
    ])
  })

  test('include indirect ones, nearest first, later ones first among equals', () => {
    const steps = [step('a'), step('b'), step('c', { needs: ['a'] }), step('d', { needs: ['b', 'c'] })]
    expect(stepsBefore(steps, 'd')).toEqual(['c', 'b', 'a'])
    expect(stepsBefore([...steps, step('e', { needs: [] })], 'e')).toEqual([])
  })
})

describe('the plan of a step', () => {
  const plans = [step('one', { type: 'iac:plan' }), step('two', { type: 'iac:plan' })]
  const apply = (more: Partial<StepConfig> = {}) => step('apply', { type: 'iac:apply', ...more })

  test('is the nearest plan for an apply', () => {
    expect(planningSteps([...plans, apply()], 'apply')).toEqual(['two'])
    expect(planningSteps([...plans, apply({ needs: ['one'] })], 'apply')).toEqual(['one'])
  })

  test('is the named plan', () => {
    expect(planningSteps([...plans, apply({ with: { plan: 'one' } })], 'apply')).toEqual(['one'])
  })

  test('is every earlier plan for an approval', () => {
    expect(planningSteps([...plans, step('ask', { type: 'approval' })], 'ask')).toEqual(['two', 'one'])
  })

  test('is empty for other steps', () => {
    expect(planningSteps([...plans, step('release', { type: 'deploy' })], 'release')).toEqual([])
    expect(planningSteps(plans, 'two')).toEqual([])
  })
})

describe('the deployment that a deploy-swap continues', () => {
  const deploys = [step('one', { type: 'deploy' }), step('two', { type: 'deploy' }), step('ask', { type: 'approval' })]
  const swap = (more: Partial<StepConfig> = {}) => step('swap', { type: 'deploy-swap', ...more })

  test('is that of the nearest earlier deploy step, or of the named one', () => {
    expect(swappedStep([...deploys, swap()], 'swap')).toBe('two')
    expect(swappedStep([...deploys, swap({ with: { deploy: 'one' } })], 'swap')).toBe('one')
  })

  test('is undefined for other step types', () => {
    expect(swappedStep([...deploys, swap()], 'ask')).toBeUndefined()
  })
})
