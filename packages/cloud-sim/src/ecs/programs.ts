import { randomUUID } from 'node:crypto'
import { nameOf, placeOf, scopeOfArn } from '../arns.ts'
import { CloudError } from '../errors.ts'
import { identities } from '../identities.ts'
import { whyNoStream, writeToStream } from '../logs/task-streams.ts'
import { matches } from '../rules.ts'
import { newCredentials } from '../sts/operations.ts'
import { state, type World } from '../world.ts'
import { ContainerProcess } from './processes.ts'
import { ecs, type Task } from './state.ts'

/** By the pattern of an image, in which `*` stands for any text: the program that its containers are. */
export type ProgramTable = Record<string, string[]>

/** Tasks whose image stands for a program are real processes on this machine, with credentials of the task's role. */
interface Programs {
  table: ProgramTable
  /** Where this cloud is reached. */
  url: string
  /** By the ARN of the task. */
  processes: Map<string, ContainerProcess>
  /** By what a process asks for its credentials with: the task's ARN. */
  credentials: Map<string, string>
}

export const programs = state<Programs>(() => ({ table: {}, url: '', processes: new Map(), credentials: new Map() }))

/** The cloud's default, where a container says nothing. Seconds. */
const usualStopTimeout = 30
/** For how long a task is given credentials at a time. Seconds. */
const sessionSeconds = 3600

const definitionOf = (world: World, { taskDefinitionArn }: Pick<Task, 'taskDefinitionArn'>) =>
  ecs(world).taskDefinitions.get(taskDefinitionArn)?.content

/** The program that the first container of a task definition is; undefined where none is. */
export function programOf(world: World, taskDefinitionArn: string): Task['program'] {
  for (const { name = '', image = '' } of definitionOf(world, { taskDefinitionArn })?.containerDefinitions ?? []) {
    const found = Object.entries(programs(world).table).find(([pattern]) => matches(pattern, image.split('@')[0] ?? ''))
    if (found) return { container: name, argv: found[1] }
  }
  return undefined
}

/** What the cloud finds only when it starts a task: a role that is not there, a log group that is not. */
export function whyNotStarted(world: World, task: Task): string | undefined {
  if (!task.program) return undefined
  const { taskRoleArn, executionRoleArn } = definitionOf(world, task) ?? {}
  const missing = [executionRoleArn, taskRoleArn].find((arn) => arn && !canAssume(world, arn))
  if (missing) return `ECS was unable to assume the role '${missing}' that was provided for this task.`
  return whyNoStream(world, task, executionRoleArn)
}

/** A role is for tasks that is there and does not trust another service. */
function canAssume(world: World, roleArn: string): boolean {
  const role = identities(world).roles.get(roleArn)
  return role !== undefined && [undefined, 'ecs-tasks.amazonaws.com'].includes(role.trustedService)
}

/** Starts the process of a task; `onExit` hears of its end, within the world. */
export function startProgram(world: World, task: Task, onExit: (exitCode: number) => void): void {
  const { program } = task
  if (!program) return
  const { processes } = programs(world)
  const within = (work: () => void) => {
    if (world.closing.aborted) return
    void world.transact(work)
  }
  const process = new ContainerProcess({
    argv: program.argv,
    env: { ...environmentOf(world, task), ...identityOf(world, task) },
    patienceMs: (containerOf(world, task)?.stopTimeout ?? usualStopTimeout) * 1000,
    onLines: (lines) => within(() => writeToStream(world, task, program.container, lines)),
    onExit(exitCode) {
      processes.delete(task.key)
      within(() => onExit(exitCode))
    },
  })
  processes.set(task.key, process)
}

/** Asks the process of a task to end; false where there is none. */
export function stopProgram(world: World, task: Task): boolean {
  const process = programs(world).processes.get(task.key)
  process?.stop()
  return process !== undefined
}

/** Ends all processes: the machine under them goes. */
export function killPrograms(world: World): void {
  for (const process of programs(world).processes.values()) process.kill()
}

const containerOf = (world: World, task: Task) =>
  definitionOf(world, task)?.containerDefinitions?.find(({ name }) => name === task.program?.container)

/** The environment of the container, and over it what the task was started with. */
function environmentOf(world: World, task: Task): Record<string, string> {
  const own = containerOf(world, task)?.environment ?? []
  const given = task.overrides?.containerOverrides?.find(({ name }) => name === task.program?.container)
  return Object.fromEntries([...own, ...(given?.environment ?? [])].map(({ name = '', value = '' }) => [name, value]))
}

/** Where the process finds the credentials of its role. The real cloud's address leads to itself: here it is told. */
function identityOf(world: World, task: Task): Record<string, string> {
  const { url, credentials } = programs(world)
  const { region } = placeOf(scopeOfArn(task.key))
  const here = { AWS_REGION: region, AWS_ENDPOINT_URL: url }
  if (!definitionOf(world, task)?.taskRoleArn) return here
  const secret = randomUUID()
  credentials.set(secret, task.key)
  return { ...here, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/_sim/task-credentials/${secret}` }
}

/** Credentials of a task's role, as the endpoint for containers gives them ("Task IAM role", developer guide). */
export function credentialsOf(world: World, secret: string) {
  const task = ecs(world).tasks.get(programs(world).credentials.get(secret) ?? '')
  const roleArn = task && definitionOf(world, task)?.taskRoleArn
  if (!task || !roleArn || task.lastStatus === 'STOPPED')
    throw new CloudError('NotFound', 'There is no such task.', 404)
  const { account } = placeOf(scopeOfArn(task.key))
  const made = newCredentials(account, roleArn, nameOf(task.key), sessionSeconds)
  const { key, secretAccessKey, sessionToken, expiresAt } = identities(world).credentials.save(made)
  return {
    RoleArn: roleArn,
    AccessKeyId: key,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: new Date(expiresAt).toISOString(),
  }
}
