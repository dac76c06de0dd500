import type { World } from '../world.ts'
import { acm, type Certificate } from './state.ts'

/** Returns an issued certificate in the scope, or undefined. */
export function usableCertificate(world: World, scope: string, arn: string): Certificate | undefined {
  const certificate = acm(world).certificates.get(arn)
  return certificate?.scope === scope && certificate.status === 'ISSUED' ? certificate : undefined
}
