import { closeCompressed, openCompressed } from '../../platform/crypto/compressed.ts'
import type { Seal } from '../../platform/crypto/seal.ts'

/** What is needed to apply a plan, and may hold secrets. */
export type SealedPlan<Setup> = {
  /** The plan file, byte by byte. */
  file: Buffer
  /** The plug-ins that it was made with, as the tool locks them. */
  lockFile: string | undefined
  setup: Setup
  /** Texts that the plan marks as sensitive. */
  secrets: string[]
}

export const sealPlan = <Setup>(seal: Seal, { file, ...rest }: SealedPlan<Setup>): Promise<string> =>
  closeCompressed(seal, JSON.stringify({ ...rest, file: file.toString('base64') }))

export async function openPlan<Setup>(seal: Seal, sealed: string): Promise<SealedPlan<Setup>> {
  const { file, ...rest } = JSON.parse((await openCompressed(seal, sealed)).toString())
  return { ...rest, file: Buffer.from(file, 'base64') }
}
