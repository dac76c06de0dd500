import type { World } from '../world.ts'
import { acm, type Certificate } from './state.ts'

/** A certificate that can be shown by what is in a place; undefined where there is none, or it is not issued. */
export function usableCertificate(world: World, scope: string, arn: string): Certificate | undefined {
  const certificate = acm(world).certificates.get(arn)
  return certificate?.scope === scope && certificate.status === 'ISSUED' ? certificate : undefined
}
