import type {
  DeleteRuleRequest,
  DescribeRuleRequest,
  ListRulesRequest,
  ListTargetsByRuleRequest,
  PutEventsRequest,
  PutRuleRequest,
  PutTargetsRequest,
  RemoveTargetsRequest,
} from '@aws-sdk/client-eventbridge'
import { arnIn, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { page } from '../ecs/pages.ts'
import { CloudError } from '../errors.ts'
import { withTags } from '../tag-list.ts'
import { parseJson, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { checkEntries, entryError } from './entries.ts'
import { compilePattern } from './pattern.ts'
import { publish } from './publish.ts'
import { eventBridge, type Rule } from './state.ts'

export const arnOf = (scope: Scope, name: string) => arnIn(scope, 'events', `rule/${name}`)

// Quotas of the user guide, read 2026-11.
const maxRules = 300
const maxTargets = 5
const maxPatternLength = 4096

const limitExceeded = () =>
  new CloudError('LimitExceededException', 'The requested resource exceeds the maximum number allowed.')

const validation = (message: string) => new CloudError('ValidationException', message)

function findRule(world: World, caller: Caller, name = ''): Rule {
  const rule = eventBridge(world).rules.get(arnOf(caller.scope, name))
  if (!rule) throw new CloudError('ResourceNotFoundException', `Rule ${name} does not exist on EventBus default.`)
  return rule
}

export function putRule(world: World, caller: Caller, input: PutRuleRequest) {
  const { Name: name = '', EventPattern: pattern, State: state = 'ENABLED', Description: description } = input
  if (!/^[.\-_A-Za-z0-9]{1,64}$/.test(name)) throw validation(`The rule name '${name}' is not valid.`)
  if (!pattern) throw validation('The simulated cloud has no schedules: EventPattern must be given.')
  if (state !== 'ENABLED' && state !== 'DISABLED') throw validation(`The state ${state} is not simulated.`)
  if (pattern.length > maxPatternLength) {
    throw new CloudError('InvalidEventPatternException', 'Event pattern is not valid. Reason: it is too long')
  }
  compilePattern(pattern)
  const key = arnOf(caller.scope, name)
  const there = eventBridge(world).rules.get(key)
  if (!there && eventBridge(world).rules.having('scope', caller.scope).length >= maxRules) throw limitExceeded()
  const { targets, tags } = there ?? { targets: [], tags: withTags([], input.Tags ?? []) }
  eventBridge(world).rules.save({ key, scope: caller.scope, name, pattern, state, description, targets, tags })
  return { RuleArn: key }
}

export const describeRule = (world: World, caller: Caller, { Name }: DescribeRuleRequest) =>
  describe(findRule(world, caller, Name))

const describe = ({ key, name, pattern, state, description }: Rule) => ({
  Name: name,
  Arn: key,
  EventPattern: pattern,
  State: state,
  EventBusName: 'default',
  ...(description === undefined ? {} : { Description: description }),
})

export function listRules(world: World, caller: Caller, input: ListRulesRequest) {
  const found = eventBridge(world)
    .rules.having('scope', caller.scope)
    .filter(({ name }) => name.startsWith(input.NamePrefix ?? ''))
  const { items, more } = page(found, { nextToken: input.NextToken, maxResults: input.Limit })
  return { Rules: items.map(describe), ...('nextToken' in more ? { NextToken: more.nextToken } : {}) }
}

export function deleteRule(world: World, caller: Caller, { Name = '' }: DeleteRuleRequest) {
  const rule = eventBridge(world).rules.get(arnOf(caller.scope, Name))
  if (rule && rule.targets.length > 0) throw validation("Rule can't be deleted since it has targets.")
  if (rule) eventBridge(world).rules.remove(rule)
  return {}
}

export function putTargets(world: World, caller: Caller, { Rule: name, Targets = [] }: PutTargetsRequest) {
  const rule = findRule(world, caller, name)
  if (new Set(Targets.map(({ Id }) => Id)).size < Targets.length) throw validation('Target Ids must be unique.')
  const both = Targets.find(({ Input, InputPath }) => Input !== undefined && InputPath !== undefined)
  if (both)
    throw validation(`Only one of Input, InputPath, or InputTransformer must be provided for target ${both.Id}.`)
  const refused = Targets.filter(({ Arn = '' }) => Arn.split(':')[2] !== 'sqs')
  const taken = Targets.filter((target) => !refused.includes(target))
  const others = rule.targets.filter(({ Id }) => !taken.some((target) => target.Id === Id))
  if (others.length + taken.length > maxTargets) throw limitExceeded()
  eventBridge(world).rules.save(Object.assign(rule, { targets: [...others, ...taken] }))
  return failed(refused.map(({ Id = '' }) => ({ Id, why: 'The simulated cloud brings events to queues only.' })))
}

export function removeTargets(world: World, caller: Caller, { Rule: name, Ids = [] }: RemoveTargetsRequest) {
  const rule = findRule(world, caller, name)
  eventBridge(world).rules.save(
    Object.assign(rule, { targets: rule.targets.filter(({ Id = '' }) => !Ids.includes(Id)) }),
  )
  return failed([])
}

const failed = (entries: { Id: string; why: string }[]) => ({
  FailedEntryCount: entries.length,
  FailedEntries: entries.map(({ Id, why }) => ({ TargetId: Id, ErrorCode: 'ValidationException', ErrorMessage: why })),
})

export const listTargetsByRule = (world: World, caller: Caller, { Rule: name }: ListTargetsByRuleRequest) => ({
  Targets: findRule(world, caller, name).targets,
})

export function putEvents(world: World, caller: Caller, { Entries = [] }: Wire<PutEventsRequest>) {
  checkEntries(Entries)
  const answers = Entries.map((entry) => {
    const reason = entryError(entry)
    if (reason) return { ErrorCode: reason.code, ErrorMessage: reason.message }
    const { Source = '', DetailType = '', Detail = '{}', Resources = [], Time } = entry
    const event = { source: Source, detailType: DetailType, resources: Resources, detail: parseJson(Detail) }
    const at = Time === undefined ? {} : { at: Time * 1000 }
    return { EventId: publish(world, caller.scope, { ...event, ...at }) }
  })
  return { FailedEntryCount: answers.filter((answer) => 'ErrorCode' in answer).length, Entries: answers }
}
