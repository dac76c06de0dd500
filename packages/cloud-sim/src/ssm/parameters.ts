import { hash } from 'node:crypto'
import type {
  DeleteParameterRequest,
  DescribeParametersRequest,
  GetParameterRequest,
  GetParametersRequest,
  ParameterStringFilter,
  PutParameterRequest,
} from '@aws-sdk/client-ssm'
import { arnIn, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { withTags } from '../tag-list.ts'
import { seconds } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { type StoredParameter, ssm } from './state.ts'

const standardBytes = 4096
const advancedBytes = 8192

export function putParameter(world: World, caller: Caller, input: PutParameterRequest) {
  const { Name: name = '', Value: value = '', Type: type, Overwrite = false, Tier = 'Standard' } = input
  checkName(name)
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
  const allowedPattern = input.AllowedPattern ?? there?.allowedPattern
  checkPattern(value, allowedPattern)
  if (Overwrite && input.Tags) throw new CloudError('ValidationException', tagsOrOverwrite)
  const tier = Tier === 'Advanced' || bytes > standardBytes ? 'Advanced' : 'Standard'
  const changedAt = world.clock.timestamp()
  const changed = {
    type: there?.type ?? type ?? 'String',
    value,
    version: (there?.version ?? 0) + 1,
    tier,
    changedAt,
    allowedPattern,
    description: input.Description ?? there?.description,
    tags: there?.tags ?? withTags([], input.Tags ?? []),
  } as const
  const key = keyOf(caller, name)
  ssm(world).parameters.save(there ? Object.assign(there, changed) : { key, scope: caller.scope, name, ...changed })
  return { Version: changed.version, Tier: tier }
}

const reserved =
  'Parameter name: can\'t be prefixed with "ssm" (case-insensitive). If formed as a path, it can consist of sub-paths divided by slash symbol; each sub-path can be formed as a mix of letters, numbers and the following 3 symbols .-_'
const tagsOrOverwrite =
  "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please remove overwrite flag. To update tags for an existing parameter, please use AddTagsToResource or RemoveTagsFromResource."
const deepest = 15

function checkName(name: string): void {
  const invalid = (message: string) => new CloudError('ValidationException', message)
  if (!/^[a-zA-Z0-9_.\-/]{1,1011}$/.test(name) || name.endsWith('/')) throw invalid(`Invalid parameter name: ${name}.`)
  if (name.includes('/') && !name.startsWith('/')) throw invalid('Parameter name must be a fully qualified name.')
  if (/^\/?(ssm|aws)/i.test(name)) throw invalid(reserved)
  if (name.split('/').length - 1 > deepest) {
    const message = `The hierarchy of a parameter can have at most ${deepest} levels.`
    throw new CloudError('HierarchyLevelLimitExceededException', message)
  }
}

function checkPattern(value: string, pattern: string | undefined): void {
  if (!pattern) return
  let expression: RegExp
  try {
    expression = new RegExp(pattern)
  } catch {
    throw new CloudError('InvalidAllowedPatternException', `The allowed pattern ${pattern} is no regular expression.`)
  }
  if (expression.test(value)) return
  const message = `Parameter value, cannot be validated against allowedPattern: ${pattern}`
  throw new CloudError('ParameterPatternMismatchException', message)
}

/** Describes parameters without their values. */
export function describeParameters(world: World, caller: Caller, input: DescribeParametersRequest) {
  const passes = (
    { name, type, tier }: StoredParameter,
    { Key, Option = 'Equals', Values = [] }: ParameterStringFilter,
  ) => {
    const value = { Name: name, Type: type, Tier: tier }[Key ?? '']
    if (value === undefined)
      throw new CloudError('InvalidFilterKey', `The simulated cloud does not filter parameters by ${Key}.`)
    return Values.some((wanted) => (Option === 'BeginsWith' ? value.startsWith(wanted) : value === wanted))
  }
  const found = ssm(world)
    .parameters.having('scope', caller.scope)
    .filter((parameter) => (input.ParameterFilters ?? []).every((filter) => passes(parameter, filter)))
  const { items, more } = page(found, input)
  return { Parameters: items.map(describe), ...more }
}

const describe = ({ name, type, version, tier, description, allowedPattern, changedAt, scope }: StoredParameter) => ({
  Name: name,
  ARN: arnOf(scope, name),
  Type: type,
  LastModifiedDate: seconds(changedAt),
  ...(type === 'SecureString' ? { KeyId: 'alias/aws/ssm' } : {}),
  ...(description === undefined ? {} : { Description: description }),
  ...(allowedPattern === undefined ? {} : { AllowedPattern: allowedPattern }),
  Version: version,
  Tier: tier,
  Policies: [],
  DataType: 'text',
})

export const arnOf = (scope: Scope, name: string) => arnIn(scope, 'ssm', `parameter/${name.replace(/^\//, '')}`)

export function getParameter(world: World, caller: Caller, input: GetParameterRequest) {
  return { Parameter: readingOf(find(world, caller, input.Name), input.WithDecryption ?? false) }
}

/** Returns existing parameters without duplicates, and the names of missing ones. */
export function getParameters(world: World, caller: Caller, { Names = [], WithDecryption }: GetParametersRequest) {
  const names = [...new Set(Names)]
  if (names.length < Names.length) {
    const message = 'Invalid request: the names of the parameters must be unique.'
    throw new CloudError('ValidationException', message)
  }
  const stored = names.map((name) => ({ name, parameter: ssm(world).parameters.get(keyOf(caller, nameIn(name))) }))
  return {
    Parameters: stored.flatMap(({ parameter }) => (parameter ? readingOf(parameter, WithDecryption ?? false) : [])),
    InvalidParameters: stored.flatMap(({ name, parameter }) => (parameter ? [] : name)),
  }
}

/** Returns a parameter's name. In its ARN, a path lacks the leading slash. */
const nameIn = (name: string) => name.replace(/^arn:[^/]*parameter(?=\/)/, '')

const readingOf = (parameter: StoredParameter, isDecrypted: boolean) => ({
  Name: parameter.name,
  Type: parameter.type,
  Value: shown(parameter, isDecrypted),
  Version: parameter.version,
  LastModifiedDate: seconds(parameter.changedAt),
  ARN: arnOf(parameter.scope, parameter.name),
  DataType: 'text',
})

/** Returns the value of a parameter; secrets are encrypted unless decryption is requested. */
const shown = ({ type, value, key }: StoredParameter, isDecrypted: boolean) =>
  type === 'SecureString' && !isDecrypted ? `AQICAH${hash('sha256', `${key} ${value}`, 'base64')}` : value

/** Returns a secret as an instance's role reads it, or undefined. */
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
