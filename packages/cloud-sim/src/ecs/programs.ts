import { randomUUID } from 'node:crypto'
import { nameOf, regionAndAccountOf, scopeOfArn } from '../arns.ts'
import { CloudError } from '../errors.ts'
import { identities } from '../identities.ts'
import { streamError, writeToStream } from '../logs/task-streams.ts'
import { matches } from '../rules.ts'
import { newCredentials } from '../sts/operations.ts'
import { defineState, type World } from '../world.ts'
import { ContainerProcess, type ProcessOptions } from './processes.ts'
import { ecs, type Task } from './state.ts'

/** Programs by image pattern, in which `*` stands for any text. */
export type ProgramTable = Record<string, string[]>

/** Containers that are real processes on this machine, with credentials of their role. */
interface Programs {
  table: ProgramTable
  /** URL of the simulated cloud. */
  url: string
  /** Processes by ARN of the task or build. */
  processes: Map<string, ContainerProcess>
  /** Credentials of processes, by the secret with which they request them. */
  credentials: Map<string, Pick<RunningProgram, 'key' | 'isOver'> & { roleArn: string }>
}

/** Task or build that is a local process. */
export interface RunningProgram extends Omit<ProcessOptions, 'onLines' | 'onExit'> {
  key: string
  /** Role whose credentials it gets. */
  roleArn: string | undefined
  isOver: () => boolean
  /** Callbacks, called within a transaction of the simulator. */
  onLines: (lines: string[]) => void
  onExit: (exitCode: number) => void
}

export const programs = defineState<Programs>(() => ({
  table: {},
  url: '',
  processes: new Map(),
  credentials: new Map(),
}))

/** Default stop timeout of ECS, in seconds. */
const defaultStopTimeout = 30
/** Lifetime of a task's credentials, in seconds. */
const sessionSeconds = 3600

const definitionOf = (world: World, { taskDefinitionArn }: Pick<Task, 'taskDefinitionArn'>) =>
  ecs(world).taskDefinitions.get(taskDefinitionArn)?.content

/** Returns the program of a task definition's first matching container, or undefined. */
export function programOf(world: World, taskDefinitionArn: string): Task['program'] {
  for (const { name = '', image = '' } of definitionOf(world, { taskDefinitionArn })?.containerDefinitions ?? []) {
    const argv = argvOf(world, image)
    if (argv) return { container: name, argv }
  }
  return undefined
}

/** Returns the program that an image stands for. */
export const argvOf = (world: World, image: string): string[] | undefined =>
  Object.entries(programs(world).table).find(([pattern]) => matches(pattern, image.split('@')[0] ?? ''))?.[1]

/** Returns why a task cannot start: a missing role or log group. */
export function startError(world: World, task: Task): string | undefined {
  if (!task.program) return undefined
  const { taskRoleArn, executionRoleArn } = definitionOf(world, task) ?? {}
  const missing = [executionRoleArn, taskRoleArn].find((arn) => arn && !canAssume(world, arn))
  if (missing) return `ECS was unable to assume the role '${missing}' that was provided for this task.`
  return streamError(world, task, executionRoleArn)
}

/** Reports whether tasks can assume the role: it exists and does not trust another service. */
function canAssume(world: World, roleArn: string): boolean {
  const role = identities(world).roles.get(roleArn)
  return role !== undefined && [undefined, 'ecs-tasks.amazonaws.com'].includes(role.trustedService)
}

/** Starts the process of a task. `onExit` is called with its exit code. */
export function startProgram(world: World, task: Task, onExit: (exitCode: number) => void): void {
  const { program } = task
  if (!program) return
  startProcess(world, {
    key: task.key,
    argv: program.argv,
    env: environmentOf(world, task),
    roleArn: definitionOf(world, task)?.taskRoleArn,
    isOver: () => (ecs(world).tasks.get(task.key)?.lastStatus ?? 'STOPPED') === 'STOPPED',
    patienceMs: (containerOf(world, task)?.stopTimeout ?? defaultStopTimeout) * 1000,
    onLines: (lines) => writeToStream(world, task, program.container, lines),
    onExit,
  })
}

export function startProcess(world: World, running: RunningProgram): void {
  const { key, argv, env, patienceMs, onLines, onExit } = running
  const { processes } = programs(world)
  const within = (work: () => void) => {
    if (world.closing.aborted) return
    void world.run(work)
  }
  const process = new ContainerProcess({
    argv,
    env: { ...env, ...identityOf(world, running) },
    patienceMs,
    onLines: (lines) => within(() => onLines(lines)),
    onExit(exitCode) {
      processes.delete(key)
      within(() => onExit(exitCode))
    },
  })
  processes.set(key, process)
}

/** Sends a stop signal to a task's process. Returns false if there is none. */
export function stopProgram(world: World, task: Task): boolean {
  const process = programs(world).processes.get(task.key)
  process?.stop()
  return process !== undefined
}

/** Kills the process of a build. */
export function killProgram(world: World, key: string): void {
  programs(world).processes.get(key)?.kill()
}

/** Kills all processes, as if their machine was lost. */
export function killPrograms(world: World): void {
  for (const process of programs(world).processes.values()) process.kill()
}

const containerOf = (world: World, task: Task) =>
  definitionOf(world, task)?.containerDefinitions?.find(({ name }) => name === task.program?.container)

/** Returns the container's environment, overridden by the task's. */
function environmentOf(world: World, task: Task): Record<string, string> {
  const own = containerOf(world, task)?.environment ?? []
  const given = task.overrides?.containerOverrides?.find(({ name }) => name === task.program?.container)
  return Object.fromEntries([...own, ...(given?.environment ?? [])].map(({ name = '', value = '' }) => [name, value]))
}

/** Returns the environment with the credentials endpoint. ECS uses a fixed link-local address instead. */
function identityOf(world: World, { key, roleArn, isOver }: RunningProgram): Record<string, string> {
  const { url, credentials } = programs(world)
  const { region } = regionAndAccountOf(scopeOfArn(key))
  const here = { AWS_REGION: region, AWS_ENDPOINT_URL: url }
  if (!roleArn) return here
  const secret = randomUUID()
  credentials.set(secret, { key, roleArn, isOver })
  return { ...here, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/_sim/task-credentials/${secret}` }
}

/** Returns a role's credentials like the ECS container endpoint ("Task IAM role", developer guide). */
export function credentialsOf(world: World, secret: string) {
  const running = programs(world).credentials.get(secret)
  if (!running || running.isOver()) throw new CloudError('NotFound', 'There is no such task.', 404)
  const { key: arn, roleArn } = running
  const { account } = regionAndAccountOf(scopeOfArn(arn))
  const made = newCredentials(account, roleArn, nameOf(arn).split(':').at(-1) ?? '', sessionSeconds)
  const { key, secretAccessKey, sessionToken, expiresAt } = identities(world).credentials.save(made)
  return {
    RoleArn: roleArn,
    AccessKeyId: key,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: new Date(expiresAt).toISOString(),
  }
}
