import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { maxStepArtifactBytes, maxStepArtifactFiles } from '@sluice/contract/runner-protocol/constants'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { PackageInvalid, packFiles, readPackage, writePackage } from './package.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-artifact-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const file = (path: string, text = path, isExecutable = false) => ({ path, content: Buffer.from(text), isExecutable })

test('files keep their paths, contents and executable bits', async () => {
  const files = [file('a.txt', ''), file('bin/run', '#!/bin/sh', true), file('tief/ümlaut/ .txt', '\0\u{1F600}')]
  const folder = join(root, 'artifact')

  await writePackage(await readPackage(await packFiles(files)), folder)

  for (const { path, content, isExecutable } of files) {
    expect(await readFile(join(folder, path))).toEqual(content)
    expect(((await stat(join(folder, path))).mode & 0o100) !== 0).toBe(isExecutable)
  }
})

test('a folder from an interrupted attempt is replaced', async () => {
  const folder = join(root, 'artifact')
  await writePackage([file('old')], folder)
  await writePackage([file('new')], folder)
  expect(await readdir(folder)).toEqual(['new'])
})

/** Packages a list of files as any program could. */
function packed(list: unknown, contents = Buffer.alloc(0)): Buffer {
  const text = Buffer.from(typeof list === 'string' ? list : JSON.stringify(list))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return gzipSync(Buffer.concat([length, text, contents]))
}
const listed = (path: unknown, sizeBytes: unknown = 0) => ({ path, sizeBytes, isExecutable: false })

test(
  'a hostile package is rejected, and nothing is written outside its folder',
  everyCase<[string, Buffer]>(
    [
      ...[
        ...['../outside', '..', '.', '', '/etc/outside', 'a/../../outside', 'a//b', 'a/', './a'],
        ...['a\\..\\b', 'a\0b', 'a'.repeat(2_000), null, 7, ['a'], { length: 1 }],
      ].map((path): [string, Buffer] => [`the path ${JSON.stringify(path)?.slice(0, 40)}`, packed([listed(path)])]),
      ['a path twice', packed([listed('a'), listed('a')])],
      ['a file that is also a folder', packed([listed('a'), listed('a/b')])],
      ['a folder that is also a file', packed([listed('a/b'), listed('a')])],
      ['a negative size', packed([listed('a', -1), listed('b', 1)])],
      ['a size that is no number', packed([listed('a', '1')], Buffer.from('x'))],
      ['sizes beyond the content', packed([listed('a', 9)], Buffer.from('x'))],
      ['content without a file', packed([listed('a', 0)], Buffer.from('x'))],
      ['no list', packed({ a: 1 })],
      ['an entry that is null', packed([null])],
      ['no JSON', packed('[{')],
      ['a list longer than it', gzipSync(Buffer.from([255, 255, 255, 255, 1]))],
      ['too little', gzipSync(Buffer.from([1]))],
      ['no compression', Buffer.from('{}')],
      ['too many files', packed(Array.from({ length: maxStepArtifactFiles + 1 }, (_, at) => listed(`f${at}`)))],
      ['a compressed gigabyte', gzipSync(Buffer.alloc(maxStepArtifactBytes * 4), { level: 9 })],
    ],
    async (_, hostile) => {
      const folder = join(root, 'artifact')
      const write = readPackage(hostile).then((files) => writePackage(files, folder))
      await expect(write).rejects.toThrow(PackageInvalid)
      expect((await readdir(root)).filter((name) => name !== 'artifact')).toEqual([])
    },
  ),
)
