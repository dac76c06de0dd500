import type { AddTagsInput, DescribeTagsInput, RemoveTagsInput, Tag } from '@aws-sdk/client-elastic-load-balancing-v2'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { findListener } from './listeners.ts'
import { findLoadBalancer } from './load-balancers.ts'
import { findOwnRule } from './rules.ts'
import { elb } from './state.ts'
import { checkTags } from './tag-rules.ts'
import { findTargetGroup } from './target-groups.ts'

interface Attribute {
  Key?: string | undefined
  Value?: string | undefined
}

const shown = (attributes: Record<string, string>) => ({
  Attributes: Object.entries(attributes).map(([Key, Value]) => ({ Key, Value })),
})

function change(attributes: Record<string, string>, changes: Attribute[] = []): void {
  for (const { Key, Value } of changes) if (Key) attributes[Key] = Value ?? ''
}

export const describeLoadBalancerAttributes = (world: World, caller: Caller, input: { LoadBalancerArn?: string }) =>
  shown(findLoadBalancer(world, caller, input.LoadBalancerArn).attributes)

export function modifyLoadBalancerAttributes(
  world: World,
  caller: Caller,
  input: { LoadBalancerArn?: string; Attributes?: Attribute[] },
) {
  const loadBalancer = findLoadBalancer(world, caller, input.LoadBalancerArn)
  change(loadBalancer.attributes, input.Attributes)
  return shown(elb(world).loadBalancers.save(loadBalancer).attributes)
}

export const describeTargetGroupAttributes = (world: World, caller: Caller, input: { TargetGroupArn?: string }) =>
  shown(findTargetGroup(world, caller, input.TargetGroupArn).attributes)

export function modifyTargetGroupAttributes(
  world: World,
  caller: Caller,
  input: { TargetGroupArn?: string; Attributes?: Attribute[] },
) {
  const group = findTargetGroup(world, caller, input.TargetGroupArn)
  change(group.attributes, input.Attributes)
  return shown(elb(world).targetGroups.save(group).attributes)
}

/** Returns no listener attributes, because none of them has an effect here. */
export function describeListenerAttributes(world: World, caller: Caller, input: { ListenerArn?: string }) {
  findListener(world, caller, input.ListenerArn)
  return shown({})
}

export function addTags(world: World, caller: Caller, { ResourceArns, Tags = [] }: AddTagsInput) {
  checkTags(Tags)
  changeTags(world, caller, ResourceArns, (tags) => {
    const kept = tags.filter(({ Key }) => !Tags.some((tag) => tag.Key === Key))
    return [...kept, ...Tags]
  })
  return {}
}

export function removeTags(world: World, caller: Caller, { ResourceArns, TagKeys = [] }: RemoveTagsInput) {
  changeTags(world, caller, ResourceArns, (tags) => tags.filter(({ Key }) => !TagKeys.includes(Key ?? '')))
  return {}
}

export function describeTags(world: World, caller: Caller, { ResourceArns = [] }: DescribeTagsInput) {
  const TagDescriptions = ResourceArns.map((ResourceArn) => {
    const { row } = findTagged(world, caller, ResourceArn)
    return { ResourceArn, Tags: row.tags }
  })
  return { TagDescriptions }
}

function changeTags(world: World, caller: Caller, resources: string[] = [], by: (tags: Tag[]) => Tag[]): void {
  for (const { row, save } of resources.map((arn) => findTagged(world, caller, arn))) {
    row.tags = by(row.tags)
    save()
  }
}

function findTagged(world: World, caller: Caller, arn: string): { row: { tags: Tag[] }; save: () => void } {
  if (arn.includes(':targetgroup/')) {
    const row = findTargetGroup(world, caller, arn)
    return { row, save: () => elb(world).targetGroups.save(row) }
  }
  if (arn.includes(':listener-rule/')) {
    const row = findOwnRule(world, caller, arn)
    return { row, save: () => elb(world).rules.save(row) }
  }
  if (arn.includes(':listener/')) {
    const row = findListener(world, caller, arn)
    return { row, save: () => elb(world).listeners.save(row) }
  }
  const row = findLoadBalancer(world, caller, arn)
  return { row, save: () => elb(world).loadBalancers.save(row) }
}
