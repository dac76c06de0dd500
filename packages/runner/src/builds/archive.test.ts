import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { writeArchive } from './archive.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-archive-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Creates an archive of two files that were written at `time`. */
async function archiveOf(time: Date): Promise<Buffer> {
  const files = ['index.mjs', 'bin/tool'].map((path, index) => ({
    path,
    file: join(folder, `file-${index}`),
    isExecutable: index === 1,
  }))
  for (const { file, path } of files) {
    await writeFile(file, `content of ${path}\n`.repeat(200))
    await chmod(file, 0o640)
    await utimes(file, time, time)
  }
  const archive = join(folder, 'archive.zip')
  await writeArchive(archive, files)
  return readFile(archive)
}

test('archives of equal files have equal bytes, whatever the time and time zone', async () => {
  const first = await archiveOf(new Date('2020-01-01'))
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const second = await archiveOf(new Date('2026-06-01'))
  vi.unstubAllEnvs()
  expect(second.equals(first)).toBe(true)
})

test('archived files keep their content and executable bit', async () => {
  await archiveOf(new Date())
  const listed = execFileSync('python3', ['-m', 'zipfile', '-l', join(folder, 'archive.zip')], { encoding: 'utf8' })
  expect(listed).toMatch(/index\.mjs/)
  const modes = `import sys, zipfile; print([oct(i.external_attr >> 16) for i in zipfile.ZipFile(sys.argv[1]).infolist()])`
  const told = execFileSync('python3', ['-c', modes, join(folder, 'archive.zip')], { encoding: 'utf8' })
  expect(told.trim()).toBe("['0o100644', '0o100755']")
})

test('an unreadable file fails the archive', async () => {
  const gone = { path: 'gone', file: join(folder, 'gone'), isExecutable: false }
  await expect(writeArchive(join(folder, 'broken.zip'), [gone])).rejects.toThrow('ENOENT')
})
