import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@sluice/server/testing/client'
import { seedOrganization, startHttpWorld } from '@sluice/server/testing/http-world'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runToCompletion } from '../testing/command-line.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const reference = `$\{env:DEPLOY_KEY}`
const secret = 'a-secret-of-the-pipeline'
/** Clears a terminal, by the one-character form of the escape sequence, and turns the reading direction. */
const terminalControls = '\u009b2J\u202e'

async function organization() {
  const { key } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  const folder = await mkdtemp(join(tmpdir(), 'sluice-files-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { SLUICE_URL: world.url, SLUICE_TOKEN: key, DEPLOY_KEY: secret }
  return { client, folder, sluice: (...words: string[]) => runToCompletion(folder, words, env) }
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()

describe('the export of a project whose members name records to attack its exporter', () => {
  test('writes only below its folder, whatever its records are called', async () => {
    const { client, folder, sluice } = await organization()
    const { id: projectId } = await client.done<{ id: string }>('POST', '/projects', {
      data: { givenId: 'shop', name: 'Shop' },
    })
    const names = [
      '../../escaped',
      '/tmp/escaped',
      '..',
      '.git',
      'a\\..\\escaped',
      'con\u0000fig',
      'Shop',
      'a/b',
      'a.b',
    ]
    for (const name of names) {
      for (const path of ['/pipelines', '/environments']) {
        await client.ask('POST', path, { data: { projectId, givenId: name, name } })
        const givenId = `safe-${names.indexOf(name)}`
        await client.ask('POST', path, { data: { projectId, givenId, name } })
      }
    }
    expect(await sluice('export', 'shop', '--to', 'out/shop')).toMatchObject({ code: 0 })
    const files = await filesIn(folder)
    expect(files.length).toBeGreaterThan(names.length)
    for (const file of files) expect(file).toMatch(/^out\/shop\/([\w-]+\/)*[\w-]+\.yaml$/)
  })

  test('escapes references to variables, so that applying the files sends no secret of the environment', async () => {
    const { client, folder, sluice } = await organization()
    const { id: projectId } = await client.done<{ id: string }>('POST', '/projects', {
      data: { givenId: 'shop', name: 'Shop', description: reference },
    })
    const { id: defaultValueDefinitionId } = await client.done<{ id: string }>('POST', '/default-value-definitions', {
      data: { key: 'greeting', schema: { type: 'string' } },
    })
    const parent = { parentType: 'project', parentId: projectId }
    const value = `say ${reference}`
    await client.done('POST', '/default-values', { data: { defaultValueDefinitionId, ...parent, value } })
    expect(await sluice('export', 'shop', '--to', 'shop')).toMatchObject({ code: 0 })

    const elsewhere = await seedOrganization(world.db)
    const env = { SLUICE_URL: world.url, SLUICE_TOKEN: elsewhere.key, DEPLOY_KEY: secret }
    expect(await runToCompletion(folder, ['apply', 'shop', '--yes'], env)).toMatchObject({ code: 0 })
    const other = new Client(world.url, elsewhere.key)
    const stored = JSON.stringify([
      (await other.ask('GET', '/projects')).body,
      (await other.ask('GET', '/default-values')).body,
    ])
    expect(stored).toContain(value)
    expect(stored).not.toContain(secret)
  })

  test('does not overwrite files, not even behind a link', async () => {
    const { client, folder, sluice } = await organization()
    await client.done('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
    await mkdir(join(folder, 'precious'))
    await writeFile(join(folder, 'precious/project.yaml'), 'kept')
    await symlink('precious', join(folder, 'link'))
    expect(await sluice('export', 'shop', '--to', 'link')).toMatchObject({ code: 1 })
    expect(await readFile(join(folder, 'precious/project.yaml'), 'utf8')).toBe('kept')
  })
})

test('an exported audit log controls no terminal, and its events are unchanged', async () => {
  const { client, sluice } = await organization()
  const name = `Shop ${terminalControls}`
  await client.done('POST', '/projects', { data: { givenId: 'shop', name } })
  const { code, stdout } = await sluice('export', 'audit-events', 'action=projects.create')
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/[\u007f-\u009f\p{Bidi_Control}]/u)
  expect(JSON.parse(stdout)).toMatchObject({ details: { name } })
})

test('the report of a check as JSON or SARIF controls no terminal', async () => {
  const { folder, sluice } = await organization()
  await writeFile(join(folder, 'module.yaml'), `steps: []\n"${terminalControls}": 1\n`)
  for (const format of ['json', 'sarif']) {
    const { stdout } = await sluice('lint', 'module.yaml', '--format', format)
    expect(stdout).not.toMatch(/[\u007f-\u009f\p{Bidi_Control}]/u)
    expect(stdout).toContain('\\u009b')
  }
})

describe('files that attack the user who applies them', () => {
  test.each([
    [
      'aliases that multiply',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((one, at) => `${one}: &${one} [${Array(9).fill(`*${'abcdefg'[at]}`)}]`).join('\n')}\n`,
    ],
    ['depth', `kind: Project\nname: ${'['.repeat(100_000)}\n`],
    ['a document of 100 MB', `kind: Project\nname: "${'x'.repeat(100_000_000)}"\n`],
    ['no text', '\u0000\u0001\u0002'],
    ['a prototype', 'kind: Project\n__proto__: { admin: true }\nname: Shop\ngivenId: shop\n'],
  ])('%s are rejected with the name of the file', async (_, text) => {
    const { folder, sluice } = await organization()
    await mkdir(join(folder, 'shop'))
    await writeFile(join(folder, 'shop/project.yaml'), text)
    const { code, text: output } = await sluice('apply', 'shop', '--yes')
    expect(code).toBe(1)
    expect(output).toContain('project.yaml')
    expect(output.length).toBeLessThan(10_000)
  })

  test('a link to a file outside is no way to read it: errors do not quote its content', async () => {
    const { folder, sluice } = await organization()
    await writeFile(join(folder, 'credentials'), `aws_secret_access_key: ${secret}\n\t- broken: [${secret}\n`)
    await mkdir(join(folder, 'shop'))
    await symlink('../credentials', join(folder, 'shop/project.yaml'))
    const { code, text } = await sluice('plan', 'shop')
    expect(code).toBe(1)
    expect(text).not.toContain(secret)
  })
})
