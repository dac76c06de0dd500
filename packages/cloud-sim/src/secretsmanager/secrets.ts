import { randomUUID } from 'node:crypto'
import type { CreateSecretRequest, DescribeSecretRequest, GetSecretValueRequest } from '@aws-sdk/client-secrets-manager'
import { arnIn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { urlSafe } from '../ids.ts'
import { seconds } from '../wire/json.ts'
import type { World } from '../world.ts'
import { type Secret, secrets } from './state.ts'

export function createSecret(world: World, caller: Caller, input: CreateSecretRequest) {
  const { Name: name = '', SecretString: value } = input
  const key = `${caller.scope} ${name}`
  if (value === undefined) {
    throw new CloudError('InvalidParameterException', 'The simulated cloud keeps texts alone: give a SecretString.')
  }
  if (secrets(world).secrets.get(key)) {
    const message = `The operation failed because the secret ${name} already exists.`
    throw new CloudError('ResourceExistsException', message)
  }
  // Six random characters follow the name, so that a recreated secret has another ARN.
  const arn = arnIn(caller.scope, 'secretsmanager', `secret:${name}-${urlSafe(6).replaceAll(/[-_]/g, 'x')}`)
  const versionId = input.ClientRequestToken ?? randomUUID()
  const createdAt = world.clock.timestamp()
  secrets(world).secrets.save({ key, scope: caller.scope, name, arn, value, versionId, createdAt })
  return { ARN: arn, Name: name, VersionId: versionId }
}

export function getSecretValue(world: World, caller: Caller, input: GetSecretValueRequest) {
  const { arn, name, value, versionId, createdAt } = find(world, caller, input)
  return {
    ARN: arn,
    Name: name,
    VersionId: versionId,
    SecretString: value,
    VersionStages: ['AWSCURRENT'],
    CreatedDate: seconds(createdAt),
  }
}

export function describeSecret(world: World, caller: Caller, input: DescribeSecretRequest) {
  const { arn, name, versionId, createdAt } = find(world, caller, input)
  const VersionIdsToStages = { [versionId]: ['AWSCURRENT'] }
  return {
    ARN: arn,
    Name: name,
    CreatedDate: seconds(createdAt),
    LastChangedDate: seconds(createdAt),
    VersionIdsToStages,
  }
}

function find(world: World, caller: Caller, { SecretId = '', VersionId, VersionStage }: GetSecretValueRequest): Secret {
  const own = secrets(world).secrets.having('scope', caller.scope)
  const secret = own.find(({ arn, name }) => SecretId === name || SecretId === arn)
  const isOther = VersionId !== undefined && VersionId !== secret?.versionId
  if (secret && !isOther && (VersionStage ?? 'AWSCURRENT') === 'AWSCURRENT') return secret
  throw new CloudError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
}

/** Returns the ARN for permissions of a secret by name or ARN. */
export const arnNamed = (caller: Caller, id: string) =>
  id.startsWith('arn:') ? id : arnIn(caller.scope, 'secretsmanager', `secret:${id}-??????`)
