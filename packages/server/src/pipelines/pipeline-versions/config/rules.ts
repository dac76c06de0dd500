import { hasTemplate, unknown } from '@sluice/expressions'
import type { DraftStep } from './draft.ts'
import type { StepType } from './schema.ts'
import { continuedStepTypes, stepsBefore } from './steps.ts'

/** Pairs of properties of which exactly one is required. */
const choices: Partial<Record<StepType, [string, string]>> = {
  'iac:plan': ['stack_id', 'stack'],
  'iac:destroy': ['stack_id', 'stack'],
  'iac:drift': ['stack_id', 'stack'],
  build: ['module_instance_id', 'module_instance'],
  deploy: ['module_instance_id', 'module_instance'],
  rehearse: ['module_instance_id', 'module_instance'],
  command: ['argv', 'shell'],
  pipeline: ['pipeline_id', 'pipeline'],
}

/** Returns violations of the rules of each step type that its schema does not express. */
export const ruleFaults = (steps: DraftStep[]): string[] =>
  steps.flatMap((step, index) => [
    ...choiceFaults(step),
    ...environmentFaults(step),
    ...addressFaults(step),
    ...continuationFaults(steps, index),
    ...approvalFaults(step),
  ])

function choiceFaults({ place, type, with: given }: DraftStep): string[] {
  const choice = type && choices[type]
  if (!choice) return []
  const there = choice.filter((name) => given[name] !== undefined)
  if (there.length === 1) return []
  return [
    `${place}.with: expected ${choice.join(' or ')}, ${there.length === 0 ? 'there is neither' : 'there are both'}`,
  ]
}

/**
 * Returns an error if a module instance has a givenId without an environment, which a givenId requires and an id does
 * not.
 */
function environmentFaults({ place, type, with: given }: DraftStep): string[] {
  if (type !== 'deploy' && type !== 'rehearse' && type !== 'build') return []
  const isNamed = given.module_instance !== undefined
  if (isNamed === (given.environment !== undefined)) return []
  return isNamed
    ? [`${place}.with.environment: required, because the givenId of a module instance belongs to an environment`]
    : [`${place}.with.environment: not allowed: module_instance_id determines the environment`]
}

function addressFaults({ place, type, with: given }: DraftStep): string[] {
  const { url } = type === 'http' ? given : {}
  const { repo } = (given.source ?? {}) as { repo?: unknown }
  return [
    ...(isWrongAddress(url, /^https?:$/)
      ? [`${place}.with.url: expected an address that begins with http:// or https://`]
      : []),
    ...(isWrongAddress(repo, /^https:$/)
      ? [`${place}.with.source.repo: expected an address that begins with https://`]
      : []),
  ]
}

const isWrongAddress = (value: unknown, protocol: RegExp): boolean =>
  typeof value === 'string' && !hasTemplate(value) && !protocol.test(URL.parse(value)?.protocol ?? '')

/** Returns an error if an approval that applies to no plan depends on changes of a plan. */
function approvalFaults({ place, type, written: { approval } }: DraftStep): string[] {
  const isGiven = typeof approval === 'object' && approval !== null && 'on_no_changes' in approval
  if (!isGiven || type === 'iac:apply' || type === 'approval') return []
  return [`${place}.approval.on_no_changes: not allowed: it applies to the types iac:apply and approval; use \`when\``]
}

/** Returns an error if an apply has no previous plan, or a deploy-swap no previous deploy. */
function continuationFaults(steps: DraftStep[], index: number): string[] {
  const step = steps[index]
  if (step?.type !== 'iac:apply' && step?.type !== 'deploy-swap') return []
  const { names, begunBy } = continuedStepTypes[step.type]
  const before = stepsBefore(steps, index).filter((id) => steps.find((other) => other.id === id)?.type === begunBy)
  const named = step.with[names]
  if (typeof named !== 'string') {
    return before.length > 0 ? [] : [`${step.place}: expected a step of the type ${begunBy} before it, by \`needs\``]
  }
  if (before.includes(named)) return []
  return [`${step.place}.with.${names}: ${unknown(`no step ${named} of the type ${begunBy} before it`, named, before)}`]
}
