import { CloudError } from '../errors.ts'
import type { Document, DocumentParameter } from './state.ts'

interface Step {
  action?: unknown
  name?: unknown
  inputs?: unknown
}

/** Plugins of command documents with schema 2.2. */
const plugins = [
  'aws:applications',
  'aws:cloudWatch',
  'aws:configureDocker',
  'aws:configurePackage',
  'aws:domainJoin',
  'aws:downloadContent',
  'aws:psModule',
  'aws:refreshAssociation',
  'aws:runDockerAction',
  'aws:runDocument',
  'aws:runPowerShellScript',
  'aws:runShellScript',
  'aws:softwareInventory',
  'aws:updateAgent',
  'aws:updateSsmAgent',
]
const maxBytes = 65_536

const wrong = (message: string) => new CloudError('InvalidDocumentContent', message)

/** Parses the content of a command document. */
export function contentOf(text: string): Pick<Document, 'schemaVersion' | 'parameters' | 'description' | 'steps'> {
  if (Buffer.byteLength(text) > maxBytes) {
    throw new CloudError('MaxDocumentSizeExceeded', 'The size limit of a document is 64 KB.')
  }
  let content: {
    schemaVersion?: string
    description?: string
    parameters?: Record<string, DocumentParameter>
    mainSteps?: Step[]
  }
  try {
    content = JSON.parse(text)
  } catch {
    throw wrong('JSON not well-formed')
  }
  const { schemaVersion, description, parameters = {}, mainSteps = [] } = content
  if (schemaVersion !== '2.2') throw new CloudError('InvalidDocumentSchemaVersion', 'Schema version must be 2.2.')
  checkSteps(mainSteps, parameters)
  for (const [name, parameter] of Object.entries(parameters)) checkDeclared(name, parameter)
  const steps = mainSteps.map(({ name }) => String(name))
  return { schemaVersion, parameters, steps, ...(description === undefined ? {} : { description }) }
}

/** Checks the steps: each has one plugin, a unique name, and only declared parameters. */
function checkSteps(steps: Step[], parameters: Record<string, DocumentParameter>): void {
  if (steps.length === 0) throw wrong('The document has no mainSteps.')
  const names = new Set<unknown>()
  for (const { action, name, inputs } of steps) {
    if (typeof action !== 'string' || !plugins.includes(action))
      throw wrong(`The plugin ${action} of a step is not valid.`)
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      throw wrong(`The name ${name} of a step is not valid.`)
    if (names.has(name)) throw wrong(`The steps of a document must have unique names: ${name}.`)
    names.add(name)
    if (typeof inputs !== 'object' || inputs === null) throw wrong(`The step ${name} has no inputs.`)
    for (const [, read = ''] of JSON.stringify(inputs).matchAll(/\{\{\s*([\w-]+)\s*\}\}/g)) {
      if (!(read in parameters)) throw wrong(`The step ${name} reads the parameter ${read}, which is not defined.`)
    }
  }
}

const types = ['String', 'StringList', 'Boolean', 'Integer', 'MapList', 'StringMap']

function checkDeclared(name: string, { type, allowedPattern, allowedValues, default: value }: DocumentParameter): void {
  if (!types.includes(type)) throw wrong(`Parameter ${name} must be of a type of ${types.join(', ')}.`)
  if (allowedPattern !== undefined && compiled(allowedPattern) === undefined) {
    throw wrong(`The allowedPattern of parameter ${name} is no regular expression.`)
  }
  const values = typeof value === 'string' ? [value] : []
  if (allowedValues && values.some((one) => !allowedValues.includes(one))) {
    throw wrong(`The default of parameter ${name} is not one of its allowedValues.`)
  }
}

/** Checks a command's parameters against its document, with SSM's messages. */
export function checkParameters({ name, parameters }: Document, given: Record<string, string[]>): void {
  const refused = (message: string) => new CloudError('InvalidParameters', message)
  const unknown = Object.keys(given).find((parameter) => !(parameter in parameters))
  if (unknown) throw refused(`Parameter ${unknown} is not defined in document ${name}.`)
  for (const [key, { type, default: usual, allowedPattern, allowedValues }] of Object.entries(parameters)) {
    const values = given[key]
    if (values === undefined) {
      if (usual === undefined) throw refused(`Parameter ${key} is required by document ${name}.`)
      continue
    }
    if (type === 'String' && values.length !== 1)
      throw refused(`Parameter ${key} takes one value, not ${values.length}.`)
    const pattern = allowedPattern === undefined ? undefined : compiled(allowedPattern)
    for (const value of values) {
      if (pattern && !pattern.test(value)) {
        throw refused(`Parameter ${key} does not match the allowed pattern ${allowedPattern}.`)
      }
      if (allowedValues && !allowedValues.includes(value)) {
        throw refused(`Parameter ${key} must be one of ${allowedValues.join(', ')}.`)
      }
    }
  }
}

function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}
