import { randomUUID } from 'node:crypto'
import type {
  BatchGetBuildsInput,
  Build as BuildShown,
  EnvironmentVariable,
  ListBuildsForProjectInput,
  StartBuildInput,
  StopBuildInput,
} from '@aws-sdk/client-codebuild'
import { arnIn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { behaviourOf } from '../ecs/images.ts'
import { page } from '../ecs/pages.ts'
import { argvOf } from '../ecs/programs.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { begin, stop } from './build-life.ts'
import { findProject, invalidInput } from './projects.ts'
import { type Build, codeBuild, type Phase, type Project } from './state.ts'

/** Time for which a token identifies its request (API reference of StartBuild), in milliseconds. */
const tokenMs = 5 * 60_000

export function startBuild(world: World, caller: Caller, input: StartBuildInput) {
  const project = findProject(world, caller, input.projectName)
  const { idempotencyToken, ...rest } = input
  const key = `${caller.scope} ${idempotencyToken}`
  const request = JSON.stringify(rest)
  const now = world.clock.timestamp()
  const before = idempotencyToken === undefined ? undefined : codeBuild(world).requests.get(key)
  if (before && now - before.at < tokenMs) {
    const there = codeBuild(world).builds.get(before.build)
    if (before.request !== request || !there) {
      throw invalidInput('Request parameters do not match those of the request with the same idempotency token.')
    }
    return { build: shown(there) }
  }
  const build = newBuild(world, caller, project, input)
  codeBuild(world).projects.save(Object.assign(project, { builds: build.number }))
  begin(world, build)
  if (idempotencyToken !== undefined) codeBuild(world).requests.save({ key, request, build: build.key, at: now })
  return { build: shown(build) }
}

function newBuild(world: World, caller: Caller, project: Project, input: StartBuildInput): Build {
  const { environment, ...content } = project.content
  const image = input.imageOverride ?? environment?.image ?? ''
  const id = `${project.name}:${randomUUID()}`
  const variables = merged(environment?.environmentVariables ?? [], input.environmentVariablesOverride ?? [])
  return {
    key: arnIn(caller.scope, 'codebuild', `build/${id}`),
    scope: caller.scope,
    id,
    project: project.key,
    number: project.builds + 1,
    content: {
      ...content,
      environment: {
        type: 'LINUX_CONTAINER',
        ...environment,
        image,
        computeType: input.computeTypeOverride ?? environment?.computeType ?? 'BUILD_GENERAL1_SMALL',
        environmentVariables: variables,
      },
    },
    initiator: caller.arn.split('/').slice(-1)[0] ?? 'root',
    behaviour: behaviourOf(world, image),
    argv: argvOf(world, image),
    phases: [],
    status: 'IN_PROGRESS',
    startedAt: world.clock.timestamp(),
  }
}

/** Merges environment variables; those of the request override the project's. */
function merged(own: EnvironmentVariable[], given: EnvironmentVariable[]): EnvironmentVariable[] {
  const names = new Set(given.map(({ name }) => name))
  return [...own.filter(({ name }) => !names.has(name)), ...given]
}

export function batchGetBuilds(world: World, caller: Caller, { ids = [] }: BatchGetBuildsInput) {
  const found = ids.map((id) => [id, find(world, caller, id)] as const)
  return {
    builds: found.flatMap(([, build]) => (build ? [shown(build)] : [])),
    buildsNotFound: found.flatMap(([id, build]) => (build ? [] : [id])),
  }
}

/** Lists builds, newest first by default. */
export function listBuildsForProject(world: World, caller: Caller, input: ListBuildsForProjectInput) {
  const { projectName, nextToken, sortOrder = 'DESCENDING' } = input
  const all = codeBuild(world).builds.having('project', findProject(world, caller, projectName).key)
  const { items, more } = page(sortOrder === 'ASCENDING' ? all : all.toReversed(), { nextToken })
  return { ids: items.map(({ id }) => id), ...more }
}

export function stopBuild(world: World, caller: Caller, { id = '' }: StopBuildInput) {
  const build = find(world, caller, id)
  if (!build) throw new CloudError('ResourceNotFoundException', `Build cannot be found: ${id}`)
  stop(world, build)
  return { build: shown(build) }
}

function find(world: World, caller: Caller, id: string): Build | undefined {
  const key = id.startsWith('arn:') ? id : arnIn(caller.scope, 'codebuild', `build/${id}`)
  const build = codeBuild(world).builds.get(key)
  return build?.scope === caller.scope ? build : undefined
}

function shown(build: Build): Wire<BuildShown> {
  const { key, id, number, content, initiator, phases, status, startedAt, endedAt, logs } = build
  const { source, environment, serviceRole, vpcConfig, logsConfig, name } = content
  const { timeoutInMinutes, queuedTimeoutInMinutes } = content
  return {
    source,
    environment,
    serviceRole,
    vpcConfig,
    timeoutInMinutes,
    queuedTimeoutInMinutes,
    id,
    arn: key,
    buildNumber: number,
    startTime: seconds(startedAt),
    ...(endedAt !== undefined && { endTime: seconds(endedAt) }),
    currentPhase: phases.at(-1)?.type,
    buildStatus: status,
    buildComplete: status !== 'IN_PROGRESS',
    projectName: name,
    phases: phases.map(phaseShown),
    initiator,
    logs: {
      cloudWatchLogs: logsConfig?.cloudWatchLogs,
      ...(logs && { groupName: logs.group, streamName: logs.stream }),
    },
  } as Wire<BuildShown>
}

const phaseShown = ({ type, status, startedAt, endedAt, context }: Phase) => ({
  phaseType: type,
  ...(status && { phaseStatus: status }),
  startTime: seconds(startedAt),
  ...(endedAt !== undefined && {
    endTime: seconds(endedAt),
    durationInSeconds: Math.round((endedAt - startedAt) / 1000),
  }),
  ...(context && { contexts: [context] }),
})
