import type {
  DeregisterTaskDefinitionRequest,
  DescribeTaskDefinitionRequest,
  ListTaskDefinitionsRequest,
  RegisterTaskDefinitionRequest,
  TaskDefinition as TaskDefinitionShape,
} from '@aws-sdk/client-ecs'
import { arns, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { clientException, invalidParameter } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { fargateViolation } from './fargate-rules.ts'
import { page } from './pages.ts'
import { ecs, type TaskDefinition } from './state.ts'
import { checkTaskDefinition } from './task-definition-rules.ts'

export function registerTaskDefinition(world: World, caller: Caller, input: RegisterTaskDefinitionRequest) {
  const { family = '', tags = [], ...content } = input
  checkTaskDefinition(input)
  const earlier = ecs(world).taskDefinitions.having('family', `${caller.scope} ${family}`)
  const revision = (earlier.at(-1)?.revision ?? 0) + 1
  const definition = ecs(world).taskDefinitions.save({
    key: arns.taskDefinition(caller.scope, family, revision),
    scope: caller.scope,
    family,
    revision,
    status: 'ACTIVE',
    content,
    tags,
    registeredAt: world.clock.timestamp(),
    registeredBy: caller.arn,
  })
  return { taskDefinition: describe(definition), tags }
}

export function describeTaskDefinition(world: World, caller: Caller, input: DescribeTaskDefinitionRequest) {
  const definition = resolveTaskDefinition(world, caller.scope, input.taskDefinition ?? '')
  if (!definition) throw clientException('Unable to describe task definition.')
  const tags = input.include?.includes('TAGS') ? { tags: definition.tags } : {}
  return { taskDefinition: describe(definition), ...tags }
}

export function listTaskDefinitions(world: World, caller: Caller, input: ListTaskDefinitionsRequest) {
  const { familyPrefix, status = 'ACTIVE', sort = 'ASC' } = input
  const found = (
    familyPrefix === undefined
      ? ecs(world).taskDefinitions.having('scope', caller.scope)
      : ecs(world).taskDefinitions.having('family', `${caller.scope} ${familyPrefix}`)
  ).filter((definition) => definition.status === status)
  const direction = sort === 'DESC' ? -1 : 1
  found.sort((a, b) => direction * (a.family < b.family ? -1 : a.family > b.family ? 1 : a.revision - b.revision))
  const { items, more } = page(found, input)
  return { taskDefinitionArns: items.map(({ key }) => key), ...more }
}

export function deregisterTaskDefinition(world: World, caller: Caller, input: DeregisterTaskDefinitionRequest) {
  if (!/:\d+$/.test(input.taskDefinition ?? '')) throw invalidParameter('Task definition must include a revision.')
  const definition = resolveTaskDefinition(world, caller.scope, input.taskDefinition ?? '')
  if (!definition) throw clientException('The specified task definition does not exist.')
  ecs(world).taskDefinitions.save(
    Object.assign(definition, { status: 'INACTIVE', deregisteredAt: world.clock.timestamp() } as const),
  )
  return { taskDefinition: describe(definition) }
}

/** Finds a task definition by ARN, `family:revision`, or the newest active one of a family. */
export function resolveTaskDefinition(world: World, scope: Scope, name: string): TaskDefinition | undefined {
  const short = name.startsWith('arn:') ? (name.split(':task-definition/')[1] ?? '') : name
  if (short.includes(':')) {
    const [family = '', revision] = short.split(':')
    const found = ecs(world).taskDefinitions.get(arns.taskDefinition(scope, family, Number(revision)))
    return name.startsWith('arn:') && found?.key !== name ? undefined : found
  }
  return ecs(world)
    .taskDefinitions.having('family', `${scope} ${short}`)
    .findLast(({ status }) => status === 'ACTIVE')
}

function describe(row: TaskDefinition): Wire<TaskDefinitionShape> {
  const { requiresCompatibilities, ...content } = row.content
  return {
    volumes: [],
    placementConstraints: [],
    ...content,
    ...(requiresCompatibilities ? { requiresCompatibilities } : {}),
    containerDefinitions: (content.containerDefinitions ?? []).map((container) => ({
      cpu: 0,
      essential: true,
      environment: [],
      mountPoints: [],
      portMappings: [],
      volumesFrom: [],
      systemControls: [],
      ...container,
    })),
    taskDefinitionArn: row.key,
    family: row.family,
    revision: row.revision,
    status: row.status,
    compatibilities: fargateViolation(row.content) === undefined ? ['EC2', 'FARGATE'] : ['EC2'],
    requiresAttributes: [],
    registeredAt: seconds(row.registeredAt),
    registeredBy: row.registeredBy,
    ...(row.deregisteredAt === undefined ? {} : { deregisteredAt: seconds(row.deregisteredAt) }),
  } as Wire<TaskDefinitionShape>
}
