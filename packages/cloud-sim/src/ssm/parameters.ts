import { hash } from 'node:crypto'
import type { DeleteParameterRequest, GetParameterRequest, PutParameterRequest } from '@aws-sdk/client-ssm'
import type { Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds } from '../wire/json.ts'
import type { World } from '../world.ts'
import { type StoredParameter, ssm } from './state.ts'

const standardBytes = 4096
const advancedBytes = 8192

export function putParameter(world: World, caller: Caller, input: PutParameterRequest) {
  const { Name: name = '', Value: value = '', Type: type, Overwrite = false, Tier = 'Standard' } = input
  if (!/^\/?[a-zA-Z0-9_.\-/]{1,1011}$/.test(name)) {
    throw new CloudError('ValidationException', `Invalid parameter name: ${name}.`)
  }
  const bytes = Buffer.byteLength(value)
  const mayBeAdvanced = Tier === 'Advanced' || Tier === 'Intelligent-Tiering'
  if (bytes === 0 || bytes > (mayBeAdvanced ? advancedBytes : standardBytes)) {
    throw new CloudError(
      'ValidationException',
      `Parameter values must have 1 to ${mayBeAdvanced ? advancedBytes : standardBytes} bytes.`,
    )
  }
  const there = ssm(world).parameters.get(keyOf(caller, name))
  if (there && !Overwrite) {
    const message =
      'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.'
    throw new CloudError('ParameterAlreadyExists', message)
  }
  if (!there && type === undefined) {
    throw new CloudError('ValidationException', 'A parameter type is required when you create a parameter.')
  }
  if (there && type !== undefined && type !== there.type) {
    const message = `The parameter ${name} is of type ${there.type}, and a type cannot be changed.`
    throw new CloudError('HierarchyTypeMismatchException', message)
  }
  const tier = Tier === 'Advanced' || bytes > standardBytes ? 'Advanced' : 'Standard'
  const changedAt = world.clock.timestamp()
  const changed = {
    type: there?.type ?? type ?? 'String',
    value,
    version: (there?.version ?? 0) + 1,
    tier,
    changedAt,
  } as const
  const key = keyOf(caller, name)
  ssm(world).parameters.save(there ? Object.assign(there, changed) : { key, scope: caller.scope, name, ...changed })
  return { Version: changed.version, Tier: tier }
}

export function getParameter(world: World, caller: Caller, input: GetParameterRequest) {
  const parameter = find(world, caller, input.Name)
  const { name, type, version, changedAt, scope } = parameter
  return {
    Parameter: {
      Name: name,
      Type: type,
      Value: shown(parameter, input.WithDecryption ?? false),
      Version: version,
      LastModifiedDate: seconds(changedAt),
      ARN: `arn:aws:ssm:${scope}:parameter/${name.replace(/^\//, '')}`,
      DataType: 'text',
    },
  }
}

/** Who does not ask for the text of a secret gets it encrypted. */
const shown = ({ type, value, key }: StoredParameter, isDecrypted: boolean) =>
  type === 'SecureString' && !isDecrypted ? `AQICAH${hash('sha256', `${key} ${value}`, 'base64')}` : value

/** What an instance of the scope reads, with its own role; undefined where there is no such secret. */
export function readSecret(world: World, scope: Scope, name: string): string | undefined {
  const parameter = ssm(world).parameters.get(`${scope} ${name}`)
  return parameter?.type === 'SecureString' ? parameter.value : undefined
}

export function deleteParameter(world: World, caller: Caller, input: DeleteParameterRequest) {
  ssm(world).parameters.remove(find(world, caller, input.Name))
  return {}
}

function find(world: World, caller: Caller, name = ''): StoredParameter {
  const parameter = ssm(world).parameters.get(keyOf(caller, name))
  if (!parameter) throw new CloudError('ParameterNotFound', `Parameter ${name} not found.`)
  return parameter
}

const keyOf = ({ scope }: Caller, name: string) => `${scope} ${name}`
