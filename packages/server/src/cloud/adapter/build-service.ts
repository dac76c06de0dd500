import { hash } from 'node:crypto'
import {
  BatchGetBuildsCommand,
  BatchGetProjectsCommand,
  type Build,
  type CodeBuildClient,
  CreateProjectCommand,
  type CreateProjectInput,
  ListBuildsForProjectCommand,
  StartBuildCommand,
  StopBuildCommand,
  UpdateProjectCommand,
  type UpdateProjectInput,
} from '@aws-sdk/client-codebuild'
import { DescribeSubnetsCommand, type EC2Client } from '@aws-sdk/client-ec2'
import { present } from '../../platform/present.ts'
import { type BuildKind, type BuildRequest, buildNamesIn, defaultComputeType } from '../facts/build-service.ts'
import { namesIn } from '../facts/runner-tasks.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from './cloud-call.ts'

/** Starts the runner, because CodeBuild runs its own agent instead of the image's entry point. */
const buildspec = JSON.stringify({
  version: 0.2,
  phases: { build: { commands: ['node /sluice/packages/runner/src/main.ts'] } },
})

/** Maximum build and queue times that CodeBuild accepts, in minutes. The step itself has the effective timeout. */
const [longestBuild, longestQueued] = [2_160, 480]
/** Maximum number of security groups of a project (VpcConfig, API reference, read 2026-11). */
const maxSecurityGroups = 5

/** Environment variable that identifies the build started for a runner task. */
const nameVariable = 'SLUICE_RUNNER_TASK'

/** Creates the CodeBuild project for builds of this kind, or updates it if its settings differ. Returns its name. */
export async function ensureProject(
  { builds, networks }: { builds: CodeBuildClient; networks: EC2Client },
  kind: BuildKind,
): Promise<string> {
  const wanted = await projectOf(networks, kind)
  const { name = '' } = wanted
  const found = await callCloud(() => builds.send(new BatchGetProjectsCommand({ names: [name] })))
  const [project] = found.projects ?? []
  if (!project) await callCloud(() => builds.send(new CreateProjectCommand(wanted)), 'CreateProject')
  else if (project.description !== wanted.description) {
    // An empty `vpcConfig` removes the project from its VPC.
    await callCloud(() => builds.send(new UpdateProjectCommand({ vpcConfig: {}, ...wanted } as UpdateProjectInput)))
  }
  return name
}

async function projectOf(networks: EC2Client, { place, environmentId, image, network }: BuildKind) {
  const { projectName, serviceRoleArn, streamName } = buildNamesIn(place, environmentId)
  const { subnetIds: subnets, securityGroupIds, assignPublicIp } = network
  // Builds get no public address, so in public subnets they could not reach the internet.
  const vpcConfig = assignPublicIp
    ? undefined
    : { vpcId: await networkOf(networks, subnets), subnets, securityGroupIds: requireGroups(securityGroupIds) }
  const project: CreateProjectInput = {
    name: projectName,
    source: { type: 'NO_SOURCE', buildspec },
    artifacts: { type: 'NO_ARTIFACTS' },
    environment: {
      type: 'LINUX_CONTAINER',
      image,
      imagePullCredentialsType: 'SERVICE_ROLE',
      computeType: defaultComputeType,
      // Building images mounts layers, which needs root on the build machine. Each build has its own machine.
      privilegedMode: true,
      environmentVariables: [
        { name: 'SLUICE_RUNNER_ONCE', value: '1' },
        { name: 'SLUICE_RUNNER_ISOLATION', value: 'none' },
      ],
    },
    serviceRole: serviceRoleArn,
    timeoutInMinutes: longestBuild,
    queuedTimeoutInMinutes: longestQueued,
    logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: namesIn(place).logGroupName, streamName } },
    ...present({ vpcConfig }),
  }
  // The cloud returns more fields than were sent, so a digest in the description detects changes.
  const digest = hash('sha256', JSON.stringify(project), 'hex')
  return { ...project, description: `Builds for steps of Sluice in ${environmentId} (${digest})` }
}

async function networkOf(networks: EC2Client, subnetIds: string[]): Promise<string> {
  const { Subnets } = await callCloud(() => networks.send(new DescribeSubnetsCommand({ SubnetIds: subnetIds })))
  const vpcId = Subnets?.[0]?.VpcId
  if (vpcId) return vpcId
  throw new CloudPermanentError('InvalidSubnetID.NotFound', `The cloud shows no subnet ${subnetIds[0]}.`)
}

function requireGroups(securityGroupIds: string[]): string[] {
  if (securityGroupIds.length >= 1 && securityGroupIds.length <= maxSecurityGroups) return securityGroupIds
  const message = `Builds take one to ${maxSecurityGroups} security groups, and the network of the execution environment names ${securityGroupIds.length}.`
  throw new CloudPermanentError('InvalidInputException', message)
}

/**
 * Starts a build and returns its ARN. Repeating the request under the same name within five minutes starts no second
 * build; after that, call `findBuild` first.
 */
export async function startBuild(builds: CodeBuildClient, request: BuildRequest): Promise<string> {
  const { projectName, computeType, name, env } = request
  const variables = Object.entries({ ...env, [nameVariable]: name })
  const command = new StartBuildCommand({
    projectName,
    idempotencyToken: name,
    computeTypeOverride: computeType,
    environmentVariablesOverride: variables.map(([key, value]) => ({ name: key, value, type: 'PLAINTEXT' })),
  })
  const { build } = await callCloud(() => builds.send(command), 'StartBuild')
  if (build?.arn) return build.arn
  throw new CloudTransientError('The cloud answered without a build.')
}

/** Allowance for clock differences between Sluice and the cloud, in milliseconds. */
const graceMs = 10 * 60_000

/** Returns the ARN of the build started under this name after `since`, searching the newest builds first. */
export async function findBuild(
  builds: CodeBuildClient,
  { projectName, name, since }: { projectName: string; name: string; since: Date },
): Promise<string | undefined> {
  let nextToken: string | undefined
  do {
    const list = new ListBuildsForProjectCommand({ projectName, ...present({ nextToken }) })
    const { ids = [], nextToken: next } = await callCloud(() => builds.send(list))
    if (ids.length === 0) return undefined
    const { builds: page = [] } = await callCloud(() => builds.send(new BatchGetBuildsCommand({ ids })))
    const found = page.find((build) => nameOf(build) === name)
    if (found?.arn) return found.arn
    const isPast = page.some(({ startTime }) => startTime && startTime.getTime() < since.getTime() - graceMs)
    nextToken = isPast ? undefined : next
  } while (nextToken)
  return undefined
}

const nameOf = ({ environment }: Build): string | undefined =>
  environment?.environmentVariables?.find(({ name }) => name === nameVariable)?.value

/** Reads the state of a build, or returns undefined if the cloud does not know it. */
export async function readBuild(
  builds: CodeBuildClient,
  arn: string,
): Promise<{ hasEnded: boolean; reason: string } | undefined> {
  const { builds: found } = await callCloud(() => builds.send(new BatchGetBuildsCommand({ ids: [idOf(arn)] })))
  const [build] = found ?? []
  return build && { hasEnded: build.buildStatus !== 'IN_PROGRESS', reason: reasonOf(build) }
}

/** Returns the first phase that did not succeed and the cloud's message for it. */
function reasonOf({ buildStatus, phases = [] }: Build): string {
  const phase = phases.find(({ phaseStatus = 'SUCCEEDED' }) => !['SUCCEEDED', 'IN_PROGRESS'].includes(phaseStatus))
  if (!phase) return buildStatus ?? ''
  const messages = (phase.contexts ?? []).map(({ statusCode, message }) =>
    [statusCode, message].filter(Boolean).join(': '),
  )
  return [`${buildStatus} in the phase ${phase.phaseType}`, ...messages.filter(Boolean)].join(': ')
}

export async function stopBuild(builds: CodeBuildClient, arn: string): Promise<void> {
  await callCloud(() => builds.send(new StopBuildCommand({ id: idOf(arn) })))
}

/** Returns the id in a build's ARN, `arn:…:build/PROJECT:UUID`. */
const idOf = (arn: string): string => arn.split('/').at(-1) ?? ''
