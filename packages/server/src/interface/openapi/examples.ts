import type { JsonSchema } from './json-schema.ts'

const id = (prefix: string) => `${prefix}_01kacq2f9xe6mtz4v8hs3nb7wd`

/** Examples for fields by name, for schemas without an example of their own. */
const looks: Record<string, unknown> = {
  id: id('res'),
  organizationId: id('org'),
  projectId: id('prj'),
  environmentId: id('env'),
  cloudAccountId: id('ca'),
  moduleDefinitionId: id('md'),
  moduleVersionId: id('mv'),
  moduleInstanceId: id('mi'),
  membershipId: id('mem'),
  userId: id('usr'),
  serviceAccountId: id('sa'),
  idToken: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwcyJ9.c2lnbmF0dXJl',
  teamId: id('team'),
  memberId: id('mem'),
  delegateId: id('mem'),
  principalId: id('mem'),
  pipelineId: id('pl'),
  pipelineVersionId: id('plv'),
  pipelineRunId: id('run'),
  stepExecutionId: id('step'),
  stackId: id('stk'),
  defaultValueDefinitionId: id('dvd'),
  hookId: id('hook'),
  requestId: id('req'),
  expiresAt: '2099-12-31T23:59:59Z',
  name: 'Web shop',
  givenId: 'web-shop',
  description: 'What people should know about it.',
  email: 'ada@example.com',
  fullName: 'Ada Lovelace',
  shortName: 'Ada',
  password: 'correct horse battery staple',
  token: 'slc_shown-once',
  version: '1.4.0',
  address: 'module.web["blue"].cloud_service.app[0]',
  repoUrl: 'https://git.example.com/acme/web-shop',
  roleArn: 'arn:aws:iam::123456789012:role/sluice',
  region: 'eu-west-1',
  account: '123456789012',
  type: 'container-service',
  href: 'https://example.com',
  url: 'https://example.com',
  inputs: { image_ref: 'shop/app:2' },
  input: { image_ref: 'shop/app:2' },
}

/** Returns an example for a schema, with its required and its simple fields. */
export function exampleOf(schema: JsonSchema, name = ''): unknown {
  const look = Object.hasOwn(looks, name) ? looks[name] : undefined
  if (typeof look === 'string' && schema.type === 'string' && fits(look, schema)) return look
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], name)
  if (schema.properties) return membersOf(schema)
  switch ([schema.type].flat()[0]) {
    case 'string':
      return textLike(name)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array':
      return schema.items ? [exampleOf(schema.items, name.replace(/s$/, ''))] : []
    default:
      return typeof look === 'object' ? look : {}
  }
}

const fits = (look: string, { pattern = '', const: only = look }: JsonSchema): boolean =>
  look === only && new RegExp(pattern).test(look)

const membersOf = ({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) || isSimple(property))
      .map(([name, property]) => [name, exampleOf(property, name)]),
  )

const isSimple = ({ type, enum: values }: JsonSchema): boolean =>
  values !== undefined || ['string', 'integer', 'number', 'boolean'].includes(String(type))

/** Converts a name to words, such as `latestRoleVersion` to `latest role version`. */
const textLike = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) || 'text'
