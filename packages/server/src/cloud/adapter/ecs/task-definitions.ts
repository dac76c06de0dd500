import {
  DescribeTaskDefinitionCommand,
  type ECSClient,
  ListTaskDefinitionsCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  type TaskDefinition,
} from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import { ask, CloudRefusal, CloudTrouble } from '../answer.ts'

/** The tag by which a task definition is found again when the answer to its registration was lost. */
const deploymentTag = 'sluice:deployment-id'

/** A task definition, whole. */
export async function readTaskDefinition(ecs: ECSClient, taskDefinition: string): Promise<TaskDefinitionRecord> {
  const answer = await ask(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
  return recordOf(answer.taskDefinition)
}

/** Whether a task definition can be released: it may be deregistered or deleted. True if the role may not read it. */
export async function isRegistered(ecs: ECSClient, taskDefinition: string): Promise<boolean> {
  try {
    const answer = await ask(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
    return answer.taskDefinition?.status === 'ACTIVE'
  } catch (error) {
    // A deleted task definition is a ClientException (API reference, DescribeTaskDefinition, read 2026-11).
    if (error instanceof CloudRefusal) return error.reason !== 'ClientException'
    throw error
  }
}

/** Names of the volumes of a recorded task definition that are configured when a task is started. */
export function launchVolumesOf(record: TaskDefinitionRecord | undefined): string[] {
  const { volumes = [] } = (record?.definition ?? {}) as Pick<TaskDefinition, 'volumes'>
  return volumes.flatMap(({ name, configuredAtLaunch }) => (configuredAtLaunch && name ? [name] : []))
}

/** Members of a task definition that the cloud adds, and accepts in no request. */
export const addedByCloud: ReadonlySet<string> = new Set([
  ...['taskDefinitionArn', 'revision', 'status', 'requiresAttributes', 'compatibilities'],
  ...['registeredAt', 'registeredBy', 'deregisteredAt', 'deleteRequestedAt'],
])

/** Returns the request that registers a recorded task definition again, without the tags, which no record has. */
export const registrationOf = ({ definition }: TaskDefinitionRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !addedByCloud.has(name)))

/** A task definition as it is kept and shown. */
export function recordOf(definition: TaskDefinition | undefined): TaskDefinitionRecord {
  if (!definition?.taskDefinitionArn || definition.revision === undefined) {
    throw new CloudTrouble('The cloud answered without a task definition.')
  }
  // Through JSON, because the record is stored and shown as JSON: dates become text, absent members go.
  const plain = JSON.parse(JSON.stringify(definition)) as Record<string, unknown>
  return { arn: definition.taskDefinitionArn, revision: definition.revision, definition: plain }
}

/** Registers a task definition under the id of the deployment, or of the revert of one. */
export async function registerTaskDefinition(
  ecs: ECSClient,
  request: Record<string, unknown>,
  registrationId: string,
): Promise<TaskDefinitionRecord> {
  const given = request as unknown as RegisterTaskDefinitionCommandInput
  const tags = [...(given.tags ?? []), { key: deploymentTag, value: registrationId }]
  const answer = await ask(
    () => ecs.send(new RegisterTaskDefinitionCommand({ ...given, tags })),
    'RegisterTaskDefinition',
  )
  return recordOf(answer.taskDefinition)
}

/** How many of the family's newest revisions are searched: those that others can have registered meanwhile. */
const searchedRevisions = 10

/** The task definition that an earlier attempt registered under this id, if one did. */
export async function findTaskDefinition(
  ecs: ECSClient,
  familyPrefix: string,
  registrationId: string,
): Promise<TaskDefinitionRecord | undefined> {
  const list = new ListTaskDefinitionsCommand({ familyPrefix, sort: 'DESC', maxResults: searchedRevisions })
  const { taskDefinitionArns } = await ask(() => ecs.send(list))
  for (const taskDefinition of taskDefinitionArns ?? []) {
    const describe = new DescribeTaskDefinitionCommand({ taskDefinition, include: ['TAGS'] })
    const answer = await ask(() => ecs.send(describe))
    const isOurs = answer.tags?.some(({ key, value }) => key === deploymentTag && value === registrationId)
    if (isOurs) return recordOf(answer.taskDefinition)
  }
  return undefined
}
