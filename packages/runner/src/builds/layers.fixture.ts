import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBuilder } from './image-machine.ts'
import { openLayers } from './layers.ts'

/** What keeps tests from having layers of images on this machine; undefined where they may have some. */
export async function whyNoLayers(): Promise<string | undefined> {
  const as = await findBuilder({ kind: 'none', withoutRange: undefined })
  if (typeof as !== 'string') return as.missing
  const directory = await mkdtemp(join(tmpdir(), 'sluice-layers-'))
  const { off } = await openLayers({ directory, mostBytes: 1024 ** 3, as })
  await rm(directory, { recursive: true, force: true })
  return off
}
