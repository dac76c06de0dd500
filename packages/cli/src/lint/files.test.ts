import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxFileBytes } from '@sluice/server/interface/source-text/text'
import { expect, onTestFinished, test } from 'vitest'
import { bytesOf, findFiles } from './files.ts'

/** Creates a folder with empty files. */
async function folderOf(...files: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-lint-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  return folder
}

const found = (folder: string, ...names: string[]) =>
  findFiles(names.map((name) => (name === '-' ? name : join(folder, name)))).sources.map(({ file }) =>
    file.replace(`${folder}/`, ''),
  )

test('YAML and JSON files are found below a folder in order, but not in hidden folders and packages', async () => {
  const folder = await folderOf(
    ...['b.yml', 'a.yaml', 'c.JSON', 'readme.md', 'yaml', 'sub/deep/d.json'],
    ...['.hidden/e.yaml', 'node_modules/f.yaml', '.g.yaml'],
  )
  expect(found(folder, '.')).toEqual(['.g.yaml', 'a.yaml', 'b.yml', 'c.JSON', 'sub/deep/d.json'])
})

test('named files are found regardless of their extension, once each', async () => {
  const folder = await folderOf('readme.md', '.hidden/e.yaml', 'a.yaml')
  expect(found(folder, 'readme.md', '.hidden', 'a.yaml', '.', '-')).toEqual([
    'readme.md',
    '.hidden/e.yaml',
    'a.yaml',
    '-',
  ])
  const { sources } = findFiles([folder, join(folder, 'a.yaml')])
  expect(sources).toEqual([{ file: join(folder, 'a.yaml'), isNamed: true }])
})

test('links to files are followed; links to folders and broken links are not', async () => {
  const folder = await folderOf('a.yaml')
  await symlink('a.yaml', join(folder, 'link.yaml'))
  await symlink('.', join(folder, 'folder.yaml'))
  await symlink('nowhere', join(folder, 'lost.yaml'))
  await symlink('around.yaml', join(folder, 'around.yaml'))
  expect(found(folder, '.')).toEqual(['a.yaml', 'link.yaml'])
})

test('an unreadable file is reported with the reason', async () => {
  const folder = await folderOf()
  await symlink('around.yaml', join(folder, 'around.yaml'))
  const names = ['missing.yaml', 'around.yaml'].map((name) => join(folder, name))
  expect(findFiles(names)).toEqual({
    sources: [],
    unreadable: [
      { file: names[0], reason: 'there is no such file' },
      { file: names[1], reason: 'it is a link that leads around to itself' },
    ],
  })
})

test('an inaccessible folder is not treated as empty', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'skipped: nothing is closed to this user')
  const folder = await folderOf('closed/a.yaml')
  await chmod(join(folder, 'closed'), 0)
  onTestFinished(() => chmod(join(folder, 'closed'), 0o700))
  expect(findFiles([folder]).unreadable).toEqual([
    { file: join(folder, 'closed'), reason: 'it may not be read by this user' },
  ])
})

test('at most one byte beyond the limit is read of an endless file', async () => {
  expect((await bytesOf('/dev/zero')).length).toBe(maxFileBytes + 1)
})
