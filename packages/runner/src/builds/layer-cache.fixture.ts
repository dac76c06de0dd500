import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBuilder } from './builder.ts'
import { openLayerCache } from './layer-cache.ts'

/** Returns why tests cannot cache image layers on this machine; undefined if they can. */
export async function findLayerCacheProblem(): Promise<string | undefined> {
  const as = await findBuilder({ kind: 'none', idRangeProblem: undefined })
  if (typeof as !== 'string') return as.missing
  const directory = await mkdtemp(join(tmpdir(), 'sluice-layers-'))
  const { disabledReason } = await openLayerCache({ directory, maxBytes: 1024 ** 3, as })
  await rm(directory, { recursive: true, force: true })
  return disabledReason
}
