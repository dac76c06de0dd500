import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PriceList } from '@sluice/contract'
import type { Command } from 'commander'
import { Errors } from 'typebox/value'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { everyCase } from '../../../../testing/every-case.ts'
import { addCallCommands } from '../calls/commands.ts'
import { addCompletionCommand } from '../completion/commands.ts'
import { newSluice } from '../sluice.ts'
import { checkBytes } from './check.ts'
import { addFileCommands } from './commands.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const pages = ['README.md', ...globSync(['docs/**/*.md', 'packages/*/README.md'], { cwd: root })].toSorted()

type Block = { page: string; language: string; text: string; isNotRun: boolean }

const blocks: Block[] = pages.flatMap((page) =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(/(<!-- not run: .+ -->\n)?^( *)```(\w+)\n([\s\S]*?)^ *```$/gm),
  ].map(([, notRun, indent = '', language = '', text = '']) => ({
    page,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    isNotRun: notRun !== undefined,
  })),
)

const filledIn = 'run, with the IDs and addresses of a test organization'

/** Handling of code blocks by language, unless a page overrides it below. */
const usual: Readonly<Record<string, string>> = {
  sh: 'not run, because its IDs belong to an installation; its commands, flags and operations are checked',
  yaml: 'checked as `sluice lint` does',
  json: 'read as JSON',
  jsonc: 'not run: a shortened response',
  text: 'not run: output, or input outside a shell',
  mermaid: 'not run: a diagram',
  hcl: 'not run: a part of a configuration',
}

const own: Readonly<Record<string, string>> = {
  'README.md sh': 'not run, except the lines that install, start and test it, which CI runs',
  'docs/tutorials/first-release.md sh': 'run against the simulated cloud',
  'docs/how-to/freezes.md sh': filledIn,
  'docs/how-to/holds.md sh': filledIn,
  'docs/reference/policies.md sh': filledIn,
  'docs/reference/roles.md sh': filledIn,
  'docs/tutorials/tutorial.md sh': 'run against the simulated cloud, except two blocks that say why not',
  'docs/how-to/ci.md yaml': 'read as YAML, by GitHub’s own parser and by the schema of GitLab',
  'docs/how-to/project-files-in-ci.md yaml': 'read as YAML, by GitHub’s own parser and by the schema of GitLab',
  'docs/reference/configuration.md yaml': 'read as YAML: settings of the table on the page',
  'docs/reference/import.md json': 'run: `sluice import` produces what the page shows',
  'docs/reference/import.md yaml':
    'run: `sluice import` converts files of other programs to what the page shows, which is checked as `sluice lint` does',
  'docs/reference/sign-in.md yaml': 'read as YAML: files of GitHub and GitLab',
  'docs/reference/infrastructure.md yaml':
    'checked as `sluice lint` does; a part of a step is read as YAML, a price list checked as the service does',
  'docs/reference/expressions.md expr': 'run: each line has the result beside it',
  'docs/reference/notifications.md ts': 'run: it accepts a signature and rejects forged ones',
  'docs/reference/notifications.md python': 'run: it accepts a signature and rejects forged ones',
  'docs/reference/builds.md dockerfile': 'not run: the image of your own builder',
  'docs/how-to/install.md sql': 'not run: for your own server',
  'docs/reference/production.md sql': 'not run: for your own server',
  'docs/how-to/install.md nginx': 'not run: for your own proxy',
  'docs/reference/production.md nginx': 'not run: for your own proxy',
  'packages/client/README.md js': 'run on Node, Deno and Bun',
  'packages/cloud-sim/README.md js': 'run against one simulated cloud, and prints what the page shows',
  'packages/cloud-sim/README.md text': 'the output of the tour',
  'packages/cloud-sim/README.md sh': 'run: the requests in the same test, the start by scripts/check-packages',
  'packages/expressions/README.md ts': 'not run: the tests do the same',
}

const keyOf = ({ page, language }: Block): string => `${page} ${language}`
const fateOf = (block: Block): string | undefined => own[keyOf(block)] ?? usual[block.language]

test('every example has a documented handling', async () => {
  expect(blocks.filter((block) => fateOf(block) === undefined).map(keyOf)).toEqual([])
  const present = new Set(blocks.map(keyOf))
  expect(Object.keys(own).filter((key) => !present.has(key))).toEqual([])
  const rows = [...Map.groupBy(blocks, keyOf).values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const name = `[${first.page.endsWith('README.md') ? first.page : basename(first.page)}](${linkTo(first.page)})`
    return [`| ${name} | \`${first.language}\` | ${alike.length} | ${fateOf(first)} |`]
  })
  const page = `${introduction}\n| Page | Language | Blocks | Use in tests |\n|---|---|---|---|\n${rows.join('\n')}\n`
  await expect(page).toMatchFileSnapshot(join(root, 'docs/reference/examples.md'))
})

const linkTo = (page: string): string => relative('docs/reference', page)

const introduction = `# Tested examples

This page describes how tests use the code blocks of the documentation. \`npm run docs\` writes the table; a block that it
does not know fails a test. Blocks that are only parsed, or not run, have a valid form, but their results are not tested.
`

test('every shell example is valid shell syntax', () => {
  const wrong = blocks
    .filter(({ language }) => language === 'sh')
    // Placeholders such as `<id>` count as words.
    .map(({ page, text }) => ({ page, text, ...spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' }) }))
    .filter(({ status }) => status !== 0)
  expect(wrong.map(({ page, text, stderr }) => `${page}: ${stderr}\n${text}`)).toEqual([])
})

test('commands in examples have existing flags', () => {
  const sluice = newSluice()
  for (const add of [addCallCommands, addFileCommands, addCompletionCommand]) add(sluice)
  const calls = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, text }) => {
      const lines = text.replaceAll('\\\n', ' ').replaceAll(/ #.*$/gm, '')
      return [...lines.matchAll(/(?<![\w/.-])sluice ([^;|&\n)]+)/g)].map(([, words = '']) => ({ page, words }))
    })
  expect(calls.length).toBeGreaterThan(100)
  expect(calls.filter(({ words }) => !hasItsFlags(sluice, words.split(/\s+/)))).toEqual([])
})

/**
 * Reports whether a command has the flags in an example. `file` can be omitted, and commands that run the service are
 * not checked.
 */
function hasItsFlags(command: Command, [word = '', ...words]: string[]): boolean {
  const called = command.commands.find((one) => one.name() === word || (one.name() === 'file' && word.includes('.')))
  if (called) return hasItsFlags(called, words)
  const known = command.options.flatMap(({ long, short }) => [long, short])
  const flags = [word, ...words].filter((one) => /^--?[a-z]/.test(one)).map((one) => one.split('=')[0])
  return command.parent === null || flags.every((flag) => flag === '--help' || known.includes(flag))
}

test(
  'every JSON example in the documentation is valid',
  everyCase(
    blocks.filter(({ language }) => language === 'json'),
    ({ text }) => {
      expect(() => JSON.parse(text)).not.toThrow()
    },
  ),
)

const ofHosts = new Set(Object.keys(own).filter((key) => own[key]?.startsWith('read as YAML')))
const yamlBlocks = blocks.filter(({ language }) => language === 'yaml')

test(
  'every YAML example in the documentation is valid',
  everyCase(yamlBlocks, async (block) => {
    const { text } = block
    expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([])
    if (ofHosts.has(keyOf(block)) || isPartOfStep(text) || isOfAnother(text)) return
    if (text.startsWith('currency:')) return expect(Errors(PriceList, parse(text))).toEqual([])
    const { kind, faults } = await checkBytes(Buffer.from(asModule(text) ?? text), true)
    expect({ kind, faults }).toEqual({ kind: expect.any(String), faults: [] })
  }),
)

const isPartOfStep = (text: string): boolean => text.startsWith('environment_variables:')

/** Reports whether an example is an importable file of another program. */
const isOfAnother = (text: string): boolean => /^# (ecspresso\.yml|compose\.yaml)\n/.test(text)

const deployParts = ['strategy', 'analysis', 'pre_deploy', 'post_deploy']

/** Completes a part of a module to a whole one, or returns undefined. Inputs that it only reads are added. */
function asModule(text: string): string | undefined {
  const part = Object(parse(text.split('\n---\n')[0] ?? '')) as Part
  const [first = ''] = Object.keys(part)
  if ('kind' in part || 'steps' in part || 'stack' in part) return undefined
  const given = part.inputs ?? []
  const read = new Set([...text.matchAll(/module\.input\.(\w+)/g)].map(([, id = '']) => id))
  const others = [...read].filter((name) => !given.some(({ id }) => id === name)).map((id) => ({ id, type: 'json' }))
  const inputs = [...given, ...others]
  if (deployParts.includes(first)) return stringify({ inputs, deploy: { ...service, ...part } })
  if (first === 'triggers') return stringify({ inputs, stack: { type: 'iac', pipelines: { change: part } } })
  if (!['inputs', 'deploy', 'ui'].includes(first)) return undefined
  return stringify({
    ...part,
    ...(part.deploy && { deploy: { ...('type' in part.deploy ? {} : service), ...part.deploy } }),
    inputs,
  })
}

type Part = { inputs?: { id: string }[]; deploy?: object }

const service = {
  type: 'cloud:ecs',
  infrastructure: {
    ecs_cluster_arn: 'arn:aws:ecs:eu-west-1:111122223333:cluster/shop',
    ecs_service_arn: 'arn:aws:ecs:eu-west-1:111122223333:service/shop/web',
    ecs_target_group_arn: 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/a/6d0ecf831eec9f09',
    ecs_alternate_target_group_arn:
      'arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/b/6d0ecf831eec9f09',
    ecs_production_listener_rule_arn:
      'arn:aws:elasticloadbalancing:eu-west-1:111122223333:listener-rule/app/shop/1/2/3',
    ecs_infrastructure_role_arn: 'arn:aws:iam::111122223333:role/ecs-load-balancers',
  },
  strategy: { type: 'canary' },
  task_definition: { family: 'web', container_definitions: [{ name: 'app', image: 'shop/web:1' }] },
}
