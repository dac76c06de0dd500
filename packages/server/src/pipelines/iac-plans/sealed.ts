import { closeCompressed, openCompressed } from '../../platform/crypto/compressed.ts'
import { placeIn } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { type IacPlanRow, sealedPlans } from './tables.ts'

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

type Of = Pick<IacPlanRow, 'organizationId' | 'stepExecutionId'>

const placeOf = ({ organizationId, stepExecutionId }: Of) => placeIn(sealedPlans, organizationId, stepExecutionId)

export const sealPlan = <Setup>(seal: Seal, of: Of, { file, ...rest }: SealedPlan<Setup>): Promise<string> =>
  closeCompressed(seal, placeOf(of), JSON.stringify({ ...rest, file: file.toString('base64') }))

export async function openPlan<Setup>(seal: Seal, of: Of, sealed: string): Promise<SealedPlan<Setup>> {
  const { file, ...rest } = JSON.parse((await openCompressed(seal, placeOf(of), sealed)).toString())
  return { ...rest, file: Buffer.from(file, 'base64') }
}
