import { hasRecord } from '../route53/lookup.ts'
import type { World } from '../world.ts'
import { usersOf } from './in-use.ts'
import { validationRecordOf } from './proof.ts'
import { acm, type Certificate } from './state.ts'

const dayMs = 86_400_000

/** Interval between checks for the validation records, in cloud seconds. */
const lookSeconds = 10

/** Advances a certificate as far as possible and schedules the next check. */
export function advanceCertificate(world: World, certificate: Certificate): void {
  if (certificate.status === 'PENDING_VALIDATION') validate(world, certificate)
  if (certificate.status === 'ISSUED') keep(world, certificate)
  acm(world).certificates.save(certificate)
}

/** Reports whether the name requests a failure: `shop-caa.example.com` is forbidden by its zone's CAA record. */
const isRefused = (name: string) => /^[^.]*-caa\./.test(name.replace(/^\*\./, ''))

function validate(world: World, certificate: Certificate): void {
  const now = world.clock.now()
  if (certificate.names.some(isRefused)) {
    Object.assign(certificate, { status: 'FAILED', failureReason: 'CAA_ERROR' })
  } else if (areProven(world, certificate)) {
    const at = world.clock.timestamp()
    Object.assign(certificate, { status: 'ISSUED', issuedAt: at, ...validFrom(world, at) })
  } else if (now >= certificate.timesOutAt) {
    certificate.status = 'VALIDATION_TIMED_OUT'
  } else certificate.wakeAt = Math.min(world.in(lookSeconds), certificate.timesOutAt)
}

/** Renews an issued certificate in time if it is in use and its records exist; otherwise it expires. */
function keep(world: World, certificate: Certificate): void {
  const at = world.clock.timestamp()
  const { notAfter = at } = certificate
  const renewsAt = notAfter - world.timing.certificateRenewalDays * dayMs
  if (at >= notAfter) {
    certificate.status = 'EXPIRED'
    return
  }
  if (at >= renewsAt && usersOf(world, certificate).length > 0) {
    const isProven = areProven(world, certificate)
    certificate.renewal = { status: isProven ? 'SUCCESS' : 'PENDING_VALIDATION', at }
    if (isProven) Object.assign(certificate, validFrom(world, at))
  }
  const nextAt = at < renewsAt ? renewsAt : Math.min(at + dayMs, certificate.notAfter ?? at)
  certificate.wakeAt = world.in(world.clock.cloudMsIn(nextAt - at) / 1000)
}

const validFrom = (world: World, at: number) => ({
  notBefore: at,
  notAfter: at + world.timing.certificateValidityDays * dayMs,
})

export const isProven = (world: World, { scope }: Certificate, name: string): boolean =>
  hasRecord(world, validationRecordOf(scope, name))

const areProven = (world: World, certificate: Certificate): boolean =>
  certificate.validationMethod === 'DNS' && certificate.names.every((name) => isProven(world, certificate, name))
