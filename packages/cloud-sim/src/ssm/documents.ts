import type {
  CreateDocumentRequest,
  DeleteDocumentRequest,
  DescribeDocumentRequest,
  DocumentDescription,
} from '@aws-sdk/client-ssm'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { type Document, type DocumentParameter, ssm } from './state.ts'

/** The cloud's own document for scripts, which is there in every account. */
const runShellScript: Omit<Document, 'key' | 'scope' | 'createdAt'> = {
  name: 'AWS-RunShellScript',
  owner: 'Amazon',
  parameters: {
    commands: { type: 'StringList' },
    workingDirectory: { type: 'String', default: '' },
    executionTimeout: { type: 'String', default: '3600' },
  },
  schemaVersion: '1.2',
}

export function createDocument(world: World, caller: Caller, input: CreateDocumentRequest) {
  const { Name: name = '', Content = '', DocumentType = 'Command', DocumentFormat = 'JSON' } = input
  if (!/^[a-zA-Z0-9_\-.]{3,128}$/.test(name)) {
    throw new CloudError('ValidationException', `Invalid document name: ${name}.`)
  }
  if (DocumentType !== 'Command' || DocumentFormat !== 'JSON') {
    throw new CloudError('InvalidDocumentContent', 'The simulated cloud takes documents of type Command, in JSON.')
  }
  if (/^(aws|amazon)/i.test(name)) throw new CloudError('ValidationException', `${name} begins with a reserved prefix.`)
  if (ssm(world).documents.get(keyOf(caller, name))) {
    throw new CloudError('DocumentAlreadyExists', `Document with same name ${name} already exists`)
  }
  const { schemaVersion, parameters } = contentOf(Content)
  const createdAt = world.clock.timestamp()
  const about = { scope: caller.scope, name, owner: caller.accountId, schemaVersion, parameters, createdAt }
  const document = ssm(world).documents.save({ key: keyOf(caller, name), ...about })
  return { DocumentDescription: describe(document) }
}

function contentOf(text: string): Pick<Document, 'schemaVersion' | 'parameters'> {
  const wrong = (message: string) => new CloudError('InvalidDocumentContent', message)
  let content: { schemaVersion?: string; parameters?: Record<string, DocumentParameter>; mainSteps?: unknown[] }
  try {
    content = JSON.parse(text)
  } catch {
    throw wrong('JSON not well-formed')
  }
  const { schemaVersion, parameters = {}, mainSteps = [] } = content
  if (schemaVersion !== '2.2') throw new CloudError('InvalidDocumentSchemaVersion', 'Schema version must be 2.2.')
  if (mainSteps.length === 0) throw wrong('The document has no mainSteps.')
  const untyped = Object.entries(parameters).find(([, { type }]) => type !== 'String' && type !== 'StringList')
  if (untyped) throw wrong(`Parameter ${untyped[0]} must be of type String or StringList.`)
  return { schemaVersion, parameters }
}

export function describeDocument(world: World, caller: Caller, input: DescribeDocumentRequest) {
  return { Document: describe(findDocument(world, caller, input.Name)) }
}

export function deleteDocument(world: World, caller: Caller, input: DeleteDocumentRequest) {
  const document = ssm(world).documents.get(keyOf(caller, input.Name ?? ''))
  if (!document) throw new CloudError('InvalidDocument', `Document ${input.Name} does not exist in your account`)
  ssm(world).documents.remove(document)
  return {}
}

export function findDocument(world: World, caller: Caller, name = ''): Document {
  if (name === runShellScript.name) return { key: name, scope: caller.scope, createdAt: 0, ...runShellScript }
  const document = ssm(world).documents.get(keyOf(caller, name))
  if (!document) throw new CloudError('InvalidDocument', `Document ${name} does not exist in your account`)
  return document
}

/** Throws what the cloud says about parameters that the document does not take, or lacks. */
export function checkParameters({ name, parameters }: Document, given: Record<string, string[]>): void {
  const wrong = (message: string) => new CloudError('InvalidParameters', message)
  const unknown = Object.keys(given).find((parameter) => !(parameter in parameters))
  if (unknown) throw wrong(`Parameter ${unknown} is not defined in document ${name}.`)
  const missing = Object.entries(parameters).find(([key, { default: value }]) => value === undefined && !given[key])
  if (missing) throw wrong(`Parameter ${missing[0]} is required by document ${name}.`)
}

const keyOf = ({ scope }: Caller, name: string) => `${scope} ${name}`

const describe = ({ name, owner, parameters, schemaVersion, createdAt }: Document): Wire<DocumentDescription> => ({
  Name: name,
  Owner: owner,
  Status: 'Active',
  DocumentVersion: '1',
  LatestVersion: '1',
  DefaultVersion: '1',
  DocumentType: 'Command',
  DocumentFormat: 'JSON',
  SchemaVersion: schemaVersion,
  PlatformTypes: ['Linux'],
  CreatedDate: seconds(createdAt),
  Parameters: Object.entries(parameters).map(([Name, { type, default: value, description }]) => ({
    Name,
    Type: type as 'String' | 'StringList',
    ...(description === undefined ? {} : { Description: description }),
    ...(value === undefined ? {} : { DefaultValue: typeof value === 'string' ? value : JSON.stringify(value) }),
  })),
})
