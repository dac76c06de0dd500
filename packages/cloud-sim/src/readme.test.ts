import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { markdownTable, withGeneratedSections } from '../../../testing/generated-sections.ts'
import { controlRoutes } from './control.ts'
import { behaviours } from './ecs/behaviour.ts'
import { faultKinds } from './faults.ts'
import { flags } from './flags.ts'
import type { CloudService } from './service.ts'
import { commonDifferences, services } from './services.ts'
import { spawnCloudSim } from './spawn.ts'

const directory = join(import.meta.dirname, '..')
const path = join(directory, 'README.md')
const readme = readFileSync(path, 'utf8')

const byTitle = Object.entries(services).toSorted(([, one], [, other]) => one.title.localeCompare(other.title))
const code = (text: string) => `\`${text}\``

/** Returns lists of sentences, each under the name of its service. */
const listsOf = (lists: [title: string, sentences: readonly string[]][]): string =>
  lists
    .filter(([, sentences]) => sentences.length > 0)
    .map(([title, sentences]) => `**${title}**\n\n${sentences.map((sentence) => `- ${sentence}`).join('\n')}`)
    .join('\n\n')

const perService = (sentencesOf: (service: CloudService) => readonly string[]): [string, readonly string[]][] =>
  byTitle.map(([, service]) => [service.title, sentencesOf(service)])

/** Generated sections of the README, which `npm run docs` writes. */
const generators: Record<string, () => string> = {
  flags: () =>
    markdownTable(
      ['Flag', 'Default', 'Description'],
      Object.entries(flags).map(([name, flag]) => [
        code(['placeholder' in flag ? `--${name} ${flag.placeholder}` : `--${name}`].join('')),
        'default' in flag ? code(flag.default) : '',
        flag.description,
      ]),
    ),
  operations: () =>
    markdownTable(
      ['Service', 'Signing name', 'Count', 'Operations'],
      byTitle.map(([name, { title, operations }]) => [
        title,
        code(name),
        String(operations.size),
        [...operations.keys()].toSorted().map(code).join(', '),
      ]),
    ),
  differences: () => listsOf([['All services', commonDifferences], ...perService(({ differences }) => differences)]),
  terraform: () => terraformTypes().map(code).join(', '),
  decisions: () => listsOf(perService(({ decisions = [] }) => decisions)),
}

/** Returns the resource types that `checks/provider` creates, changes and destroys. */
function terraformTypes(): string[] {
  const folder = join(directory, 'checks/provider')
  const configurations = globSync('*.tf', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
  return [
    ...new Set([...configurations.join('\n').matchAll(/^resource "(\w+)"/gm)].map(([, type = '']) => type)),
  ].toSorted()
}

test('the generated sections of the README are up to date: `npm run docs` writes them', async () => {
  await expect(withGeneratedSections(readme, generators)).toMatchFileSnapshot(path)
})

test('the README describes every route of the control interface', () => {
  const described = [...readme.matchAll(/^\| `((?:GET|PUT|POST|DELETE) [a-z][^`]*)` \|/gm)].map(([, route]) => route)
  expect(described.toSorted()).toEqual(Object.keys(controlRoutes).toSorted())
})

test('the README describes every fault and every behaviour of an image', () => {
  for (const kind of [...faultKinds, ...behaviours]) expect(readme).toContain(code(kind))
})

const blocksOf = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)

test('the examples of the README run against one simulated cloud and print the documented output', async () => {
  const [tour = '', library = ''] = blocksOf('js')
  const [shownByTour] = blocksOf('text')
  const curls = blocksOf('sh').find((text) => text.includes('curl')) ?? ''
  const sim = await spawnCloudSim()
  const here = (example: string) => example.replaceAll('http://127.0.0.1:4566', sim.url)
  expect(await run(process.execPath, ['--input-type=module', '--eval', here(tour)])).toBe(shownByTour)
  expect(await run('bash', ['-euc', `curl() { command curl -fsS "$@"; }\n${here(curls)}`])).toContain('"SUCCESSFUL"')
  expect(await run(process.execPath, ['--input-type=module', '--eval', library])).toContain('ThrottlingException')
  await sim.stop()
})

/** Runs a program in the package's folder, where Node finds the packages that examples import. */
async function run(program: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: directory })
  return stdout
}
