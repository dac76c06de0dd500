import { hash } from 'node:crypto'
import type {
  CreateDocumentRequest,
  DeleteDocumentRequest,
  DescribeDocumentPermissionRequest,
  DescribeDocumentRequest,
  DocumentDescription,
  GetDocumentRequest,
  UpdateDocumentDefaultVersionRequest,
  UpdateDocumentRequest,
} from '@aws-sdk/client-ssm'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { withTags } from '../tag-list.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { contentOf } from './document-content.ts'
import { type Document, ssm } from './state.ts'

/** AWS's document for shell scripts, which exists in every account. */
const runShellScript: Omit<Document, 'key' | 'scope' | 'createdAt'> = {
  name: 'AWS-RunShellScript',
  owner: 'Amazon',
  parameters: {
    commands: { type: 'StringList' },
    workingDirectory: { type: 'String', default: '' },
    executionTimeout: { type: 'String', default: '3600' },
  },
  schemaVersion: '1.2',
  versions: [''],
  defaultVersion: 1,
  tags: [],
}

export function createDocument(world: World, caller: Caller, input: CreateDocumentRequest) {
  const { Name: name = '', Content = '', DocumentType = 'Command', DocumentFormat = 'JSON', Tags = [] } = input
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
  const document = ssm(world).documents.save({
    key: keyOf(caller, name),
    scope: caller.scope,
    name,
    owner: caller.accountId,
    ...contentOf(Content),
    versions: [Content],
    defaultVersion: 1,
    tags: withTags([], Tags),
    createdAt: world.clock.timestamp(),
  })
  return { DocumentDescription: describe(document, 1) }
}

/** Adds a version, which is used once it becomes the default. */
export function updateDocument(world: World, caller: Caller, input: UpdateDocumentRequest) {
  const document = findOwn(world, caller, input.Name)
  const { Content = '', DocumentVersion = '$LATEST' } = input
  if (DocumentVersion !== '$LATEST' && DocumentVersion !== String(document.versions.length)) {
    throw new CloudError('InvalidDocumentVersion', 'The document version is not valid or does not exist.')
  }
  contentOf(Content)
  if (document.versions.includes(Content)) {
    throw new CloudError(
      'DuplicateDocumentContent',
      'The content of the association document matches another document.',
    )
  }
  document.versions.push(Content)
  ssm(world).documents.save(document)
  return { DocumentDescription: describe(document, document.versions.length) }
}

export function updateDocumentDefaultVersion(world: World, caller: Caller, input: UpdateDocumentDefaultVersionRequest) {
  const document = findOwn(world, caller, input.Name)
  const version = versionOf(document, input.DocumentVersion)
  const content = contentOf(document.versions[version - 1] ?? '')
  ssm(world).documents.save(Object.assign(document, content, { defaultVersion: version }))
  return { Description: { Name: document.name, DefaultVersion: String(version) } }
}

export function getDocument(world: World, caller: Caller, input: GetDocumentRequest) {
  const document = findDocument(world, caller, input.Name)
  const version = versionOf(document, input.DocumentVersion)
  const { Name, DocumentType, DocumentFormat, Status, CreatedDate } = describe(document, version)
  const Content = document.versions[version - 1] ?? ''
  return { Name, Content, DocumentType, DocumentFormat, Status, CreatedDate, DocumentVersion: String(version) }
}

/** Returns no accounts, because documents are not shared. */
export function describeDocumentPermission(world: World, caller: Caller, input: DescribeDocumentPermissionRequest) {
  findOwn(world, caller, input.Name)
  return { AccountIds: [], AccountSharingInfoList: [] }
}

export function describeDocument(world: World, caller: Caller, input: DescribeDocumentRequest) {
  const document = findDocument(world, caller, input.Name)
  return { Document: describe(document, versionOf(document, input.DocumentVersion)) }
}

export function deleteDocument(world: World, caller: Caller, input: DeleteDocumentRequest) {
  ssm(world).documents.remove(findOwn(world, caller, input.Name))
  return {}
}

export function findDocument(world: World, caller: Caller, name = ''): Document {
  if (name === runShellScript.name) return { key: name, scope: caller.scope, createdAt: 0, ...runShellScript }
  return findOwn(world, caller, name)
}

function findOwn(world: World, caller: Caller, name = ''): Document {
  const document = ssm(world).documents.get(keyOf(caller, name))
  if (!document) throw new CloudError('InvalidDocument', `Document ${name} does not exist in your account`)
  return document
}

/** Returns the number of a version, the latest or the default one. */
function versionOf({ versions, defaultVersion }: Document, wanted = '$DEFAULT'): number {
  if (wanted === '$DEFAULT') return defaultVersion
  const version = wanted === '$LATEST' ? versions.length : Number(wanted)
  if (versions[version - 1] !== undefined) return version
  throw new CloudError('InvalidDocumentVersion', 'The document version is not valid or does not exist.')
}

const keyOf = ({ scope }: Caller, name: string) => `${scope} ${name}`

function describe(document: Document, version: number): Wire<DocumentDescription> {
  const { name, owner, schemaVersion, versions, defaultVersion, tags, createdAt } = document
  const content = versions[version - 1] ?? ''
  const { parameters, description } = version === defaultVersion ? document : contentOf(content)
  return {
    Name: name,
    Owner: owner,
    Status: 'Active',
    DocumentVersion: String(version),
    LatestVersion: String(versions.length),
    DefaultVersion: String(defaultVersion),
    Hash: hash('sha256', content),
    HashType: 'Sha256',
    ...(description === undefined ? {} : { Description: description }),
    Tags: tags.map(({ Key = '', Value = '' }) => ({ Key, Value })),
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
  }
}
