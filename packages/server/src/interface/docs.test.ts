import { hash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as contract from '@sluice/contract'
import {
  type ApiErrorKey,
  apiErrors,
  commonErrors,
  failures,
  type Permission,
  permissionsOf,
  type Role,
  type Route,
  roles,
  routes,
  sentNotices,
} from '@sluice/contract'
import { functionNames, signatures } from '@sluice/expressions'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { markdownTable as table, withGeneratedSections } from '../../../../testing/generated-sections.ts'
import { latestRole } from '../cloud/cloud-accounts/role-version.ts'
import {
  common,
  PipelineConfig,
  stepConfigs,
  stepSchemas,
  triggerSchemas,
} from '../pipelines/pipeline-versions/config/schema.ts'
import { settingsReference } from '../platform/config/reference.ts'
import { settingNames, settingOf } from '../platform/config/settings.ts'
import { openApiDocument } from './openapi/document.ts'
import { effects, gates, ownActions, type Row, requests, steps } from './release-gates/table.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found)

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]
const text = pages.map(read).join('\n')

type Described = {
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Described>
  required?: string[]
  items?: Described
}

/** Returns a table of an object's fields, as its schema describes them. */
function fieldsOf(schema: object, without: string[] = []): string {
  const { properties = {}, required = [] } = schema as Described
  const rows = Object.entries(properties)
    .filter(([name, { const: fixed }]) => fixed === undefined && !without.includes(name))
    .map(([name, { description = '', enum: values, default: preset }]) => [
      `\`${name}\`${required.includes(name) ? ', required' : ''}`,
      [description, values && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`].filter(Boolean).join(' '),
      preset === undefined ? '' : `\`${JSON.stringify(preset)}\``,
    ])
  return table(['Field', 'What it is', 'Default'], rows)
}

/** Returns a section with a table of fields for each type. */
const byType = (schemas: Readonly<Record<string, object>>, without: string[] = []): string =>
  Object.entries(schemas)
    .map(([type, schema]) => {
      const { description, properties = {} } = schema as Described
      const isBare = Object.values(properties).every(({ const: fixed }) => fixed !== undefined)
      return `**\`${type}\`**: ${description}${isBare ? '' : `\n\n${fieldsOf(schema, without)}`}`
    })
    .join('\n\n')

const pipeline = PipelineConfig.properties

const allRoutes: Route[] = Object.values(routes)

const whatOf = ({ effect, weakens }: Row): string =>
  [effects[effect].what, weakens && `(${gates[weakens].what})`].filter(Boolean).join(' ')

/** Generators of the sections between `<!-- generated: NAME -->` and `<!-- end -->`, which `npm run docs` writes. */
const generated: Record<string, () => string> = {
  settings: () => settingsReference().trimEnd(),
  pipelineInputs: () => fieldsOf(pipeline.inputs.items),
  pipelineTriggers: () => byType(triggerSchemas),
  pipelineConcurrency: () => fieldsOf(pipeline.concurrency),
  pipelineStep: () => fieldsOf(stepSchemas.approval, ['with']),
  pipelineApproval: () => `\`approval\`:\n\n${fieldsOf(common.approval)}`,
  pipelineRetry: () => `\`retry\`:\n\n${fieldsOf(common.retry)}`,
  pipelineStepTypes: () => byType(stepConfigs),
  roles: () =>
    table(
      ['What', ...roles.map((role) => `\`${role}\``)],
      [...new Set(permissionsOf.OWNER.map(resourceOf))]
        .toSorted()
        .map((resource) => [`\`${resource}\``, ...roles.map((role) => rightsOn(resource, role))]),
    ),
  functions: () =>
    table(
      ['Function', 'What it is'],
      functionNames.map((name) => [`\`${signatures[name].usage}\``, signatures[name].what]),
    ),
  operations: () =>
    table(
      ['Operation', 'What it does', 'Needs'],
      allRoutes.map(({ method, path, summary, permission }) => [`\`${method} ${path}\``, summary, `\`${permission}\``]),
    ),
  parameters: () =>
    table(
      ['Operation', 'Parameters'],
      allRoutes
        .map(({ method, path, query }) => ({ operation: `\`${method} ${path}\``, names: parametersOf(query) }))
        .filter(({ names }) => names.length > 0)
        .map(({ operation, names }) => [operation, names.join(', ')]),
    ),
  includes: () =>
    table(
      ['Operation', '`include`', 'What it is'],
      allRoutes.flatMap(({ method, path, response: [, schema] }) =>
        Object.entries((schema as Described).properties?.included?.properties ?? {}).map(
          ([name, { description = '' }]) => [`\`${method} ${path}\``, `\`${name}\``, description],
        ),
      ),
    ),
  gates: () =>
    table(
      ['What is done', 'What can stop it'],
      Object.values(effects).map(({ what, gates: passed }) => [what, passed.map((one) => gates[one].what).join('; ')]),
    ),
  gatedOperations: () =>
    table(
      ['Operation', 'What it does'],
      [
        ...Object.entries<Row>(requests).map(([id, row]) => {
          const { method, path } = routes[id as keyof typeof routes]
          return [`\`${method} ${path}\``, whatOf(row)]
        }),
        ...Object.entries<Row | undefined>(steps).flatMap(([type, row]) =>
          row ? [[`A step \`${type}\` of a pipeline`, whatOf(row)]] : [],
        ),
        ...Object.entries<Row>(ownActions).map(([name, row]) => [name, whatOf(row)]),
      ],
    ),
  apiErrors: () =>
    table(
      ['Status', 'Code', 'Meaning', 'Operations'],
      Object.entries(apiErrors)
        .map(([key, { status, code, title }]) => ({ status, code, title, where: refusedWhere(key as ApiErrorKey) }))
        .toSorted((a, b) => a.status - b.status)
        .map(({ status, code, title, where }) => [String(status), `[\`${code}\`](${sectionOf(code)})`, title, where]),
    ),
  notificationTypes: () =>
    table(
      ['`type`', 'When', 'Severity', '`data`'],
      Object.entries(sentNotices).map(([type, notice]) => [
        `\`${type}\``,
        notice.description,
        'severity' in notice ? `\`${notice.severity}\`` : '',
        `\`${schemaNameOf(notice.data)}\``,
      ]),
    ),
  endings: () =>
    Object.values(failures)
      .map(({ code }) => `### \`${code}\`\n\n${descriptionOf(code)}`)
      .join('\n\n'),
}

/** Returns the name of a schema in `/openapi.json`. */
const schemaNameOf = (schema: object): string =>
  Object.entries(contract).find(([, exported]) => exported === schema)?.[0] ?? ''

const sectionOf = (code: string) => `errors.md#${anchorOf(code)}`

/** Returns the path of a page as the page of error codes links to it. */
const fromErrors = (page: string) => relative('docs/reference', page)

/** Returns the description of an error code in the guides: the row of a table that begins with it. */
function descriptionOf(code: string): string {
  const rows = globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
    matches(read(page), new RegExp(`^\\| \`${code}\` \\| (.+) \\|$`, 'gm')).map((cells) => ({ page, cells })),
  )
  return rows
    .map(({ page, cells }) => {
      const sentences = cells
        .split(' | ')
        .map((cell) => cell.replace(/[^.]$/, '$&.').replaceAll('](#', `](${fromErrors(page)}#`))
      const [status = ''] = sentences
      const ends =
        sentences.length > 2
          ? sentences.with(0, `The record ends as ${status.replaceAll('`, `', '` or `')}`)
          : sentences
      return `${ends.join(' ')} See [${basename(page)}](${fromErrors(page)}).`
    })
    .join(' ')
}

const resourceOf = (permission: Permission): string => permission.split(':', 1)[0] ?? ''

/** Returns the permissions of a role on a resource, such as `read, write`. */
const rightsOn = (resource: string, role: Role): string =>
  permissionsOf[role]
    .filter((permission) => resourceOf(permission) === resource)
    .map((permission) => permission.slice(resource.length + 1))
    .join(', ')

function parametersOf({ properties = {} }: Partial<NonNullable<Route['query']>> = {}): string[] {
  return Object.entries(properties)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .map(([name, schema]) => {
      const { type, maxItems } = schema as { type?: string; maxItems?: number }
      return type === 'array' ? `\`${name}\` (up to ${maxItems})` : `\`${name}\``
    })
}

function refusedWhere(key: ApiErrorKey): string {
  const own = allRoutes.filter(({ errors }) => errors.includes(key)).map(({ operationId }) => `\`${operationId}\``)
  if (own.length > 0) return own.join(', ')
  return (commonErrors as readonly ApiErrorKey[]).includes(key) ? 'every one' : 'where it applies'
}

test(
  'every page has up-to-date tables',
  everyCase(
    pages.filter((page) => read(page).includes('<!-- generated:')),
    async (page) => {
      await expect(withGeneratedSections(read(page), generated)).toMatchFileSnapshot(join(root, page))
    },
  ),
)

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** Replaces the parameters of a path and removes its query: `/deployments/{}`. */
const shapeOf = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\?.*$/, '')

/** Returns the code in a page: shell blocks and inline code. */
const codeOf = (page: string) =>
  [...matches(page, /```sh\n([\s\S]*?)```/g), ...matches(page, /`([^`\n]+)`/g)].join('\n')

/** Subcommands of `sluice`, as its code registers them. */
const commands = matches(
  globSync('packages/cli/src/{sluice,**/commands,**/*-commands}.ts', { cwd: root }).map(read).join('\n'),
  /(?:\.command\(|(?:addServiceCommand|addFollowCommand)\(\s*sluice,\s*)'([\w-]+)'/g,
)

/** Environment variables that are not settings of the service. */
const otherVariables = [
  ...['SLUICE_CONFIG', 'SLUICE_URL', 'SLUICE_TOKEN'], // of the command line
  ...['SLUICE_SERVICE_ACCOUNT', 'SLUICE_ID_TOKEN', 'SLUICE_ID_TOKEN_AUDIENCE'], // of the command line in CI
  'SLUICE_KEY_STORE', // of the command line only
  ...['SLUICE_HOST_TOKEN', 'SLUICE_ID'], // of the GitLab component
  ...['SLUICE_OUTPUT', 'SLUICE_TEST_BROWSER', 'SLUICE_TEST_IMAGES'], // of steps and tests
  ...matches(read('packages/runner/src/isolation/settings.ts'), /'(SLUICE_RUNNER_\w+)'/g), // of the runner's isolation
  ...['SLUICE_RUNNER_DIR', 'SLUICE_RUNNER_CACHE_MIB', 'SLUICE_RUNNER_LAYERS_MIB', 'SLUICE_RUNNER_ONCE'],
  'SLUICE_RUNNER_DRAIN_SECONDS', // of the runner
]

test(
  'every page names existing files',
  everyCase(pages, (page) => {
    const paths = matches(read(page), /`((?:packages|docs|bench)\/[\w./-]+)`/g)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  }),
)

test(
  'every page names existing operations',
  everyCase(pages, (page) => {
    const known = new Set(allRoutes.map(({ method, path }) => `${method} ${shapeOf(path)}`))
    const named = matches(read(page), /`((?:GET|POST|PATCH|DELETE) \/[^`\s]*)`/g)
    const foreign = /_sim|…|^GET \/(docs|metrics|openapi\.json|schemas\/|values\/)/
    expect(named.filter((name) => !foreign.test(name) && !known.has(shapeOf(name)))).toEqual([])
  }),
)

test(
  'every page names existing commands and operations of the command line',
  everyCase(pages, (page) => {
    const code = codeOf(read(page))
    expect(matches(code, /(?<![\w/.-])sluice ([a-z][a-z-]*)/g).filter((name) => !commands.includes(name))).toEqual([])
    const operations: string[] = allRoutes.map(({ operationId }) => operationId)
    expect(matches(code, /sluice api (\w+)/g).filter((name) => !operations.includes(name))).toEqual([])
  }),
)

test(
  'every page names existing settings',
  everyCase(pages, (page) => {
    const known: string[] = [...settingNames.flatMap((name) => [settingOf(name).env]), ...otherVariables]
    const named = matches(read(page), /\b((?:SLUICE|ENGINE|WORKER)_[A-Z_]*[A-Z])\b(?![_*])/g)
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  }),
)

test(
  'every page names existing npm scripts',
  everyCase(pages, (page) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(matches(read(page), /npm run ([\w:-]+)/g).filter((name) => !(name in scripts))).toEqual([])
  }),
)

test('the index lists every page once', () => {
  const pagesOfGuide = globSync('docs/**/*.md', { cwd: root })
  const listed = matches(read('docs/README.md'), /^- \[.+?\]\(([\w./-]+\.md)\)/gm).map((page) => `docs/${page}`)
  expect([...listed, 'docs/README.md'].toSorted()).toEqual(pagesOfGuide.toSorted())
})

test('every page has a unique file name, by which the guide and agents find it', () => {
  const names = globSync('docs/**/*.md', { cwd: root }).map((page) => basename(page))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('every error code is in the catalogue, and every failure is explained', () => {
  const endings = Object.values(failures).map(({ code }) => code)
  const known: string[] = [...endings, ...Object.values(apiErrors).map(({ code }) => code)]
  expect(matches(text, /(Sluice:[A-Z]\w+:[A-Z_]+)/g).filter((code) => !known.includes(code))).toEqual([])
  const explained = matches(text, /^\| `(Sluice:[^`]+)`/gm)
  expect(explained.toSorted()).toEqual(endings.toSorted())
})

test('every error has a section with its remedy', () => {
  const sections = matches(
    read('docs/reference/errors.md').split('<!-- generated')[0] ?? '',
    /^### ([\s\S]+?)\n(?=#|$(?![\s\S]))/gm,
  )
  const told = sections.map((section) => section.split('\n\n', 2).join('\n\n'))
  const catalogue = Object.values(apiErrors).map(({ code, status, title }) => `\`${code}\`\n\n**${status}.** ${title}`)
  expect(told.toSorted()).toEqual(catalogue.toSorted())
  expect(sections.filter((section) => (section.split('\n\n')[2] ?? '').length < 20)).toEqual([])
})

test('the permissions in the role template are those of the calls that Sluice makes', () => {
  const adapter = globSync('packages/server/src/cloud/adapter/**/*.ts', { cwd: root }).map(read).join('\n')
  const called = new Set(matches(adapter, /new (\w+)Command\(/g))
  // These calls need no permission, or one with another name.
  called.delete('GetCallerIdentity')
  if (called.delete('DeleteMessageBatch')) called.add('DeleteMessage')
  // The storage service's permissions are not named like its calls.
  for (const call of ['ListObjectsV2', 'ListObjectVersions', 'DeleteObjects', 'PutObject', 'GetObject'])
    called.delete(call)
  // docs/reference/deployments-functions.md lists the permissions to read images.
  for (const call of ['BatchGetImage', 'GetDownloadUrlForLayer']) called.delete(call)
  // docs/reference/builds.md lists the permissions to push and delete images. The tests of builds use only those of the
  // template.
  for (const call of ['CreateRepository', 'GetAuthorizationToken', 'BatchDeleteImage', 'ListImageReferrers'])
    called.delete(call)
  // It also lists those of the build service.
  for (const call of matches(read('docs/reference/builds.md'), /`codebuild:(\w+)`/g))
    expect(called.delete(call), call).toBe(true)
  // Optional permission for the deletion of old versions, which also allows to delete functions. The template does not
  // have it.
  const optional = matches(read('docs/reference/deployments-functions.md'), /`lambda:(\w+)`/g)
  expect([...new Set(optional)].map((call) => [call, called.delete(call)])).toEqual([['DeleteFunction', true]])
  const kinds = ['autoscaling', 'cloudfront', 'cloudfront-keyvaluestore', 'cloudwatch', 'ecs', 'elasticloadbalancing']
  const services = `(?:${[...kinds, 'acm', 'ec2', 'ecr(?=:Describe)', 'iam(?!:PassRole)', 'lambda', 'logs', 'route53', 'secretsmanager', 'sqs', 'ssm', 'sts'].join('|')})`
  const guides = globSync('docs/*/deployments*.md', { cwd: root }).map(read).join('\n')
  const asked = new Set(matches(guides, new RegExp(`"${services}:(\\w+)"(?!:)`, 'g')))
  expect([...asked].toSorted()).toEqual([...called, 'AddTagsToCertificate', 'TagResource'].toSorted())
  const template = matches(read('docs/connect-role.yaml'), new RegExp(`^ +- ${services}:(\\w+)$`, 'gm'))
  expect(['AssumeRole', ...template].toSorted()).toEqual([...asked].toSorted())
})

test('the version of the role template increases with every change of its permissions', () => {
  const template = read('docs/connect-role.yaml')
  const [, rights = ''] = template.split('Policies:')
  const fingerprint = hash('sha256', rights.replaceAll(/#.*$/gm, '').replaceAll(/\s+/g, ' ')).slice(0, 12)
  const [version] = matches(template, /"sluice:role-version", Value: "(\d+)"/g)
  const told = 'the rights have changed: count up the version in the template, in role-version.ts and here'
  expect({ version, fingerprint }, told).toEqual({ version: latestRole.version, fingerprint: '30695ff1046c' })
})

test('every dependency is accounted for', () => {
  const manifests = ['package.json', ...globSync('{tools,packages/*}/package.json', { cwd: root })].map(
    (path) => JSON.parse(read(path)) as Record<string, Record<string, string> | undefined>,
  )
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
  const used = manifests.flatMap((manifest) => kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})))
  const [, section = ''] = read('CONTRIBUTING.md').split('## Dependencies')
  const rows = matches(section, /^\| (`.+?`) \|/gm).flatMap((cell) => matches(cell, /`([^`]+)`/g))
  const others = new Set(used.filter((name) => !name.startsWith('@sluice/')))
  expect(rows.toSorted()).toEqual([...others].toSorted())
})

test('the tests that SECURITY.md names for its threat model exist', () => {
  const table = read('SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Who |'))
  const named = table.flatMap((line) => matches(line.split('|').at(-2) ?? '', /`([^`]+)`/g))
  expect(named.length).toBeGreaterThan(15)
  const isTested = (path: string) => {
    const from = path.startsWith('packages/') ? path : `packages/server/src/${path}`
    return globSync(from.endsWith('.ts') ? from : `${from}/**/*.test.ts`, { cwd: root }).length > 0
  }
  expect(named.filter((path) => !isTested(path))).toEqual([])
})

test.each(['npm ci && npm start', 'npm ci && npm test'])('the README has `%s` on a line of its own', (command) => {
  expect(
    read('README.md')
      .split('\n')
      .filter((line) => line === command),
  ).toHaveLength(1)
})

test('every package, the interface and the CHANGELOG have the same version', () => {
  const [released] = matches(read('CHANGELOG.md'), /^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$/gm)
  const packages = ['package.json', ...globSync('packages/*/package.json', { cwd: root })]
  const versions = packages.map((file) => [file, (JSON.parse(read(file)) as { version: string }).version])
  expect(versions).toEqual(packages.map((file) => [file, released]))
  expect(openApiDocument(allRoutes).info['x-release']).toBe(released)
})

test('no comment is wider than 120 columns', () => {
  const files = globSync(
    ['packages/*/{src,cluster,crash,demo,hostile,storm}/**/*.{ts,tsx}', 'bench/*.ts', 'e2e/*.ts'],
    { cwd: root },
  )
  const wide = files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, at) =>
        /^\s*\*|\/\*\*|(^|\s)\/\/ (?!biome-ignore)/.test(line) && line.length > 120 ? [`${file}:${at + 1}`] : [],
      ),
  )
  expect(wide).toEqual([])
})
