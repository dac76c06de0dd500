import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFolder } from '../archive/folder.ts'
import { measureArchive } from './archive.ts'
import { createMetrics } from './metrics.ts'

test('archive operations and their failures are counted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-archive-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a-file'), '')
  const metrics = createMetrics()
  const archive = measureArchive(openFolder(join(folder, 'archive')), metrics)
  await archive.put('logs/1', Buffer.from('a line'))
  expect((await archive.get('logs/1')).toString()).toBe('a line')
  const broken = measureArchive(openFolder(join(folder, 'a-file', 'archive')), metrics)
  await expect(broken.put('logs/1', Buffer.from('a line'))).rejects.toThrow()

  const { values } = await metrics.archiveCalls.get()
  const counted = values.filter(({ value }) => value > 0).map(({ labels, value }) => ({ ...labels, value }))
  expect(counted).toEqual([
    { operation: 'put', result: 'ok', value: 1 },
    { operation: 'put', result: 'failed', value: 1 },
    { operation: 'get', result: 'ok', value: 1 },
  ])
})
