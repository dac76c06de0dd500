import { closeCompressed, openCompressed } from '../../platform/crypto/compressed.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { type IacPlanRow, sealedPlans } from './tables.ts'

/** Encrypted data for applying a plan, which may contain secrets. */
export type SealedPlan<Setup> = {
  /** Content of the plan file. */
  file: Buffer
  /** Lock file of the providers that the plan was made with. */
  lockFile: string | undefined
  setup: Setup
  /** Values that the plan marks as sensitive. */
  secrets: string[]
}

type Of = Pick<IacPlanRow, 'organizationId' | 'stepExecutionId'>

const placeOf = ({ organizationId, stepExecutionId }: Of) =>
  createSealContext(sealedPlans, organizationId, stepExecutionId)

export const sealPlan = <Setup>(seal: Seal, of: Of, { file, ...rest }: SealedPlan<Setup>): Promise<string> =>
  closeCompressed(seal, placeOf(of), JSON.stringify({ ...rest, file: file.toString('base64') }))

export async function openPlan<Setup>(seal: Seal, of: Of, sealed: string): Promise<SealedPlan<Setup>> {
  const { file, ...rest } = JSON.parse((await openCompressed(seal, placeOf(of), sealed)).toString())
  return { ...rest, file: Buffer.from(file, 'base64') }
}
