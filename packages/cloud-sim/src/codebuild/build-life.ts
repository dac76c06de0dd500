import type { BuildPhaseType, PhaseContext, StatusType } from '@aws-sdk/client-codebuild'
import { killProgram, startProcess } from '../ecs/programs.ts'
import { arnOfGroup, openGroup } from '../logs/groups.ts'
import { cloudWatchLogs } from '../logs/state.ts'
import { append, openStream } from '../logs/streams.ts'
import { evaluateRolePolicy } from '../rights/authorize.ts'
import type { World } from '../world.ts'
import { regionOf } from './projects.ts'
import { type Build, codeBuild, type Phase } from './state.ts'

/**
 * Starts a build. Its phases follow "View build details" in the user guide: submitted, queued, provisioned, and those
 * of the buildspec, whose commands are simulated as one.
 */
export function begin(world: World, build: Build): void {
  enter(world, build, 'SUBMITTED', world.timing.requestSeconds)
}

/** Performs the next due transition of a build. */
export function advanceBuild(world: World, build: Build): void {
  const phase = build.phases.at(-1)
  if (!phase || build.status !== 'IN_PROGRESS') return
  turns[phase.type]?.(world, build)
}

const turns: Partial<Record<BuildPhaseType, (world: World, build: Build) => void>> = {
  SUBMITTED(world, build) {
    leave(world, build, 'SUCCEEDED')
    const waits = build.behaviour === 'no-capacity'
    enter(world, build, 'QUEUED', waits ? minutes(build.content.queuedTimeoutInMinutes) : world.timing.requestSeconds)
  },
  QUEUED(world, build) {
    if (build.behaviour === 'no-capacity') return finish(world, build, 'TIMED_OUT')
    leave(world, build, 'SUCCEEDED')
    const { provisionSeconds, pullSeconds } = world.timing
    const hangs = build.behaviour === 'hang'
    enter(
      world,
      build,
      'PROVISIONING',
      hangs ? minutes(build.content.timeoutInMinutes) : provisionSeconds + pullSeconds,
    )
  },
  PROVISIONING(world, build) {
    if (build.behaviour === 'hang') return finish(world, build, 'TIMED_OUT')
    const trouble = provisioningError(world, build)
    if (trouble) return finish(world, build, 'FAILED', trouble)
    leave(world, build, 'SUCCEEDED')
    pass(world, build, ['DOWNLOAD_SOURCE', 'INSTALL', 'PRE_BUILD'])
    run(world, build)
  },
  BUILD(world, build) {
    if (!build.argv) return commandsEnded(world, build, build.behaviour === 'crash' ? 1 : 0)
    killProgram(world, build.key)
    finish(world, build, 'TIMED_OUT')
  },
}

const minutes = (count = 60): number => count * 60

/** Runs the program that the image stands for instead of the buildspec's commands, or simulates their result. */
function run(world: World, build: Build): void {
  const { argv, behaviour, content } = build
  const isProgram = argv !== undefined && behaviour !== 'crash'
  if (!isProgram) {
    build.argv = undefined
    enter(world, build, 'BUILD', world.timing.jobSeconds)
    return
  }
  enter(world, build, 'BUILD', minutes(content.timeoutInMinutes))
  const variables = content.environment?.environmentVariables ?? []
  startProcess(world, {
    key: build.key,
    argv,
    env: Object.fromEntries(variables.map(({ name = '', value = '' }) => [name, value])),
    roleArn: content.serviceRole,
    isOver: () => codeBuild(world).builds.get(build.key)?.status !== 'IN_PROGRESS',
    patienceMs: 0,
    onLines: (lines) => write(world, build, lines),
    onExit: (exitCode) => commandsEnded(world, build, exitCode),
  })
}

function commandsEnded(world: World, build: Build, exitCode: number): void {
  if (build.status !== 'IN_PROGRESS') return
  const isGood = exitCode === 0
  const context = isGood
    ? undefined
    : {
        statusCode: 'COMMAND_EXECUTION_ERROR',
        message: `Error while executing command: ${commandOf(build)}. Reason: exit status ${exitCode}`,
      }
  leave(world, build, isGood ? 'SUCCEEDED' : 'FAILED', context)
  pass(world, build, ['POST_BUILD', 'UPLOAD_ARTIFACTS', 'FINALIZING'])
  complete(world, build, isGood ? 'SUCCEEDED' : 'FAILED')
}

/** Returns the last command of the buildspec, which must be JSON. */
function commandOf({ content }: Build): string {
  return content.source?.buildspec?.match(/"commands":\s*\[.*"([^"]+)"\s*\]/)?.[1] ?? 'the commands of the buildspec'
}

/** Stops a build in progress. A completed build is unchanged. */
export function stop(world: World, build: Build): void {
  if (build.status !== 'IN_PROGRESS') return
  finish(world, build, 'STOPPED')
  killProgram(world, build.key)
}

/** Ends builds whose processes were lost with their machine. */
export function markMachinesLost(world: World): void {
  for (const build of codeBuild(world).builds.all()) {
    const isLost = build.status === 'IN_PROGRESS' && build.argv && build.phases.at(-1)?.type === 'BUILD'
    if (isLost) finish(world, build, 'FAULT', { statusCode: 'INTERNAL_SERVICE_ERROR', message: 'The host is gone.' })
  }
}

function provisioningError(world: World, build: Build): PhaseContext | undefined {
  const image = build.content.environment?.image
  if (build.behaviour === 'pull-error') {
    const message = `Unable to pull customer's container image. CannotPullContainerError: Error response from daemon: manifest for ${image} not found: manifest unknown`
    return { statusCode: 'BUILD_CONTAINER_UNABLE_TO_PULL_IMAGE', message }
  }
  return openLog(world, build)
}

/** Opens the build's log stream with the permissions of its role, creating the log group if needed. */
function openLog(world: World, build: Build): PhaseContext | undefined {
  const { scope, content, id, project } = build
  const config = content.logsConfig?.cloudWatchLogs
  if (config?.status === 'DISABLED') return undefined
  const group = config?.groupName ?? `/aws/codebuild/${content.name}`
  const uuid = id.split(':').at(-1) ?? ''
  const stream = config?.streamName ? `${config.streamName}/${uuid}` : uuid
  const arn = arnOfGroup(scope, group)
  const needed = [
    ...(cloudWatchLogs(world).groups.get(arn) ? [] : [{ action: 'logs:CreateLogGroup', resource: arn }]),
    { action: 'logs:CreateLogStream', resource: `${arn}:log-stream:${stream}` },
    { action: 'logs:PutLogEvents', resource: `${arn}:log-stream:${stream}` },
  ]
  const role = content.serviceRole ?? ''
  const refused = needed.find((right) => evaluateRolePolicy(world, role, right, regionOf(scope)) !== 'allowed')
  if (refused) {
    const message = `Service role ${role} does not allow AWS CodeBuild to create Amazon CloudWatch Logs log streams for build ${build.key}. Error message: User is not authorized to perform: ${refused.action} on resource: ${refused.resource}`
    return { statusCode: 'ACCESS_DENIED', message }
  }
  openStream(world, openGroup(world, scope, group).key, stream)
  build.logs = { group, stream }
  write(world, build, [`[Container] Running on CodeBuild On-demand`, `[Container] Project ${project}`])
  return undefined
}

function write(world: World, { scope, logs }: Build, lines: string[]): void {
  if (logs) append(world, openStream(world, openGroup(world, scope, logs.group).key, logs.stream), lines)
}

function enter(world: World, build: Build, type: BuildPhaseType, seconds: number): void {
  build.phases.push({ type, startedAt: world.clock.timestamp() })
  codeBuild(world).builds.save(Object.assign(build, { wakeAt: world.in(seconds) }))
}

function leave(world: World, build: Build, status: StatusType, context?: PhaseContext): void {
  const last = build.phases.at(-1) as Phase
  Object.assign(last, { status, endedAt: world.clock.timestamp(), ...(context && { context }) })
}

/** Completes phases without commands immediately. */
function pass(world: World, build: Build, types: BuildPhaseType[]): void {
  const now = world.clock.timestamp()
  for (const type of types) build.phases.push({ type, startedAt: now, endedAt: now, status: 'SUCCEEDED' })
}

/** Ends a build in its current phase. */
function finish(world: World, build: Build, status: StatusType, context?: PhaseContext): void {
  leave(world, build, status, context)
  complete(world, build, status)
}

function complete(world: World, build: Build, status: StatusType): void {
  const now = world.clock.timestamp()
  build.phases.push({ type: 'COMPLETED', startedAt: now })
  codeBuild(world).builds.save(Object.assign(build, { status, endedAt: now, wakeAt: undefined }))
}
