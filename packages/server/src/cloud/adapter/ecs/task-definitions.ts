import {
  DescribeTaskDefinitionCommand,
  type ECSClient,
  ListTaskDefinitionsCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  type Tag,
  type TaskDefinition,
} from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import { CloudPermanentError, CloudTransientError, callCloud } from '../cloud-call.ts'

/** Tag that identifies a registered task definition if the response to its registration was lost. */
const deploymentTag = 'sluice:deployment-id'

/** Reads a complete task definition. */
export async function readTaskDefinition(ecs: ECSClient, taskDefinition: string): Promise<TaskDefinitionRecord> {
  const answer = await callCloud(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
  return recordOf(answer.taskDefinition)
}

/** Reports whether a task definition is still registered and so can be released. True if the role may not read it. */
export async function isRegistered(ecs: ECSClient, taskDefinition: string): Promise<boolean> {
  try {
    const answer = await callCloud(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
    return answer.taskDefinition?.status === 'ACTIVE'
  } catch (error) {
    // The API reports a deleted task definition as a ClientException (API reference, DescribeTaskDefinition, read
    // 2026-11).
    if (error instanceof CloudPermanentError) return error.reason !== 'ClientException'
    throw error
  }
}

/** Returns the volumes of a recorded task definition that are configured at launch. */
export function launchVolumesOf(record: TaskDefinitionRecord | undefined): string[] {
  const { volumes = [] } = (record?.definition ?? {}) as Pick<TaskDefinition, 'volumes'>
  return volumes.flatMap(({ name, configuredAtLaunch }) => (configuredAtLaunch && name ? [name] : []))
}

/** Fields that the cloud adds to a task definition and accepts in no request. */
export const addedByCloud: ReadonlySet<string> = new Set([
  ...['taskDefinitionArn', 'revision', 'status', 'requiresAttributes', 'compatibilities'],
  ...['registeredAt', 'registeredBy', 'deregisteredAt', 'deleteRequestedAt'],
])

/** Returns the request that registers a recorded task definition again, without tags: see `readTags`. */
export const registrationOf = ({ definition }: TaskDefinitionRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !addedByCloud.has(name)))

/** Converts a task definition to the record that Sluice stores and returns. */
export function recordOf(definition: TaskDefinition | undefined): TaskDefinitionRecord {
  if (!definition?.taskDefinitionArn || definition.revision === undefined) {
    throw new CloudTransientError('The cloud answered without a task definition.')
  }
  // A JSON round trip turns dates into strings and drops undefined fields, as in the stored record.
  const plain = JSON.parse(JSON.stringify(definition)) as Record<string, unknown>
  return { arn: definition.taskDefinitionArn, revision: definition.revision, definition: plain }
}

/** Returns the tags of a task definition, also of a deregistered one, without those of Sluice and of the cloud. */
export async function readTags(ecs: ECSClient, taskDefinition: string): Promise<Tag[]> {
  const describe = new DescribeTaskDefinitionCommand({ taskDefinition, include: ['TAGS'] })
  const { tags = [] } = await callCloud(() => ecs.send(describe))
  return tags.filter(({ key = '' }) => key !== deploymentTag && !key.startsWith('aws:'))
}

/** Registers a task definition, tagged with the id of the deployment or rollback. */
export async function registerTaskDefinition(
  ecs: ECSClient,
  request: Record<string, unknown>,
  registrationId: string,
): Promise<TaskDefinitionRecord> {
  const given = request as unknown as RegisterTaskDefinitionCommandInput
  const tags = [...(given.tags ?? []), { key: deploymentTag, value: registrationId }]
  const answer = await callCloud(
    () => ecs.send(new RegisterTaskDefinitionCommand({ ...given, tags })),
    'RegisterTaskDefinition',
  )
  return recordOf(answer.taskDefinition)
}

/** Number of newest revisions to search, to allow for registrations by others in the meantime. */
const searchedRevisions = 10

/** Returns the task definition that an earlier attempt registered under this id, if any. */
export async function findTaskDefinition(
  ecs: ECSClient,
  familyPrefix: string,
  registrationId: string,
): Promise<TaskDefinitionRecord | undefined> {
  const list = new ListTaskDefinitionsCommand({ familyPrefix, sort: 'DESC', maxResults: searchedRevisions })
  const { taskDefinitionArns } = await callCloud(() => ecs.send(list))
  for (const taskDefinition of taskDefinitionArns ?? []) {
    const describe = new DescribeTaskDefinitionCommand({ taskDefinition, include: ['TAGS'] })
    const answer = await callCloud(() => ecs.send(describe))
    const isOurs = answer.tags?.some(({ key, value }) => key === deploymentTag && value === registrationId)
    if (isOurs) return recordOf(answer.taskDefinition)
  }
  return undefined
}
