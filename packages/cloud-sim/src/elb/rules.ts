import type {
  CreateRuleInput,
  DescribeRulesInput,
  ModifyRuleInput,
  RuleCondition,
  Rule as RuleShape,
  SetRulePrioritiesInput,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { arns } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { checkActions } from './actions.ts'
import { checkArn } from './arn-rules.ts'
import { findListener } from './listeners.ts'
import { page } from './pages.ts'
import { elb, type Rule } from './state.ts'
import { checkTags } from './tag-rules.ts'

const highestPriority = 50_000

export function createRule(world: World, caller: Caller, input: CreateRuleInput) {
  const listener = findListener(world, caller, input.ListenerArn)
  checkPriority(world, listener.key, input.Priority)
  const rule: Rule = {
    key: arns.rule(listener.key),
    scope: caller.scope,
    listenerArn: listener.key,
    priority: String(input.Priority),
    isDefault: false,
    conditions: checkConditions(input.Conditions),
    actions: checkActions(world, caller.scope, input.Actions),
    tags: checkTags(input.Tags),
  }
  elb(world).rules.save(rule)
  return { Rules: [describe(rule)] }
}

export function describeRules(world: World, caller: Caller, input: DescribeRulesInput) {
  if (input.RuleArns) return { Rules: input.RuleArns.map((arn) => describe(findOwnRule(world, caller, arn))) }
  if (!input.ListenerArn) {
    throw new CloudError('ValidationError', 'You must specify either listener rule ARNs or a listener ARN')
  }
  const listener = findListener(world, caller, input.ListenerArn)
  const rules = elb(world)
    .rules.having('listener', listener.key)
    .sort((a, b) => rank(a) - rank(b))
  const { items, NextMarker } = page(rules, input)
  return { Rules: items.map(describe), NextMarker }
}

export function modifyRule(world: World, caller: Caller, input: ModifyRuleInput) {
  const rule = findOwnRule(world, caller, input.RuleArn)
  if (rule.isDefault) throw new CloudError('OperationNotPermitted', 'Default rules cannot be modified')
  if (input.Conditions) rule.conditions = checkConditions(input.Conditions)
  if (input.Actions) rule.actions = checkActions(world, caller.scope, input.Actions)
  return { Rules: [describe(elb(world).rules.save(rule))] }
}

export function setRulePriorities(world: World, caller: Caller, input: SetRulePrioritiesInput) {
  const changes = (input.RulePriorities ?? []).map(({ RuleArn, Priority }) => ({
    rule: findOwnRule(world, caller, RuleArn),
    priority: Priority,
  }))
  for (const { rule, priority } of changes) {
    const moving = changes.map((change) => change.rule.key)
    checkPriority(world, rule.listenerArn, priority, moving)
  }
  for (const { rule, priority } of changes) elb(world).rules.save(Object.assign(rule, { priority: String(priority) }))
  return { Rules: changes.map(({ rule }) => describe(rule)) }
}

export function deleteRule(world: World, caller: Caller, input: { RuleArn?: string }) {
  const rule = findOwnRule(world, caller, input.RuleArn)
  if (rule.isDefault) throw new CloudError('OperationNotPermitted', 'Default rules cannot be deleted')
  elb(world).rules.remove(rule)
  return {}
}

export function findOwnRule(world: World, caller: Caller, arn = ''): Rule {
  checkArn('listener rule', arn)
  const rule = elb(world).rules.get(arn)
  if (rule?.scope !== caller.scope) throw new CloudError('RuleNotFound', 'One or more rules not found')
  return rule
}

/** Sorts rules by priority, the default rule last. */
const rank = (rule: Rule) => (rule.isDefault ? Number.POSITIVE_INFINITY : Number(rule.priority))

function checkPriority(world: World, listenerArn: string, priority: number | undefined, moving: string[] = []): void {
  const number = Number(priority)
  if (!(Number.isInteger(number) && number >= 1 && number <= highestPriority)) {
    throw new CloudError('ValidationError', `Priority '${priority}' must be between 1 and ${highestPriority}`)
  }
  const others = elb(world)
    .rules.having('listener', listenerArn)
    .filter(({ key }) => !moving.includes(key))
  if (others.some((rule) => rule.priority === String(number))) {
    throw new CloudError('PriorityInUse', `Priority '${number}' is currently in use`)
  }
}

/** Condition types that a rule can have once ("Condition types for listener rules", user guide, read 2026-11). */
const singleConditions = ['host-header', 'http-request-method', 'path-pattern', 'source-ip']

/** Validates conditions and returns host and path conditions in both notations. */
function checkConditions(conditions: RuleCondition[] | undefined): RuleCondition[] {
  if (!conditions || conditions.length === 0) {
    throw new CloudError('ValidationError', 'A rule must have at least one condition')
  }
  for (const field of singleConditions) {
    if (conditions.filter(({ Field }) => Field === field).length > 1) {
      throw new CloudError('ValidationError', `A rule can have only one '${field}' condition`)
    }
  }
  return conditions.map((condition) => {
    const { Field, HostHeaderConfig, PathPatternConfig, Values } = condition
    const Both = HostHeaderConfig?.Values ?? PathPatternConfig?.Values ?? Values
    if (Field === 'host-header') return { ...condition, Values: Both, HostHeaderConfig: { Values: Both } }
    if (Field === 'path-pattern') return { ...condition, Values: Both, PathPatternConfig: { Values: Both } }
    return condition
  })
}

const describe = (rule: Rule): RuleShape => ({
  RuleArn: rule.key,
  Priority: rule.priority,
  Conditions: rule.conditions,
  Actions: rule.actions,
  IsDefault: rule.isDefault,
})
