// biome-ignore-all lint/style/noRestrictedImports: reads certificates at addresses that the operator names, and sends nothing.
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Logger } from 'pino'
import { type Config, settingNames, settingOf } from './config/settings.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type PeriodicTask, startPeriodicTask } from './rounds.ts'

/** Address in the settings that has a certificate, with the name of its setting. */
export type CertificateAddress = { setting: string; url: URL }

/** Returns the configured addresses that use TLS. */
export const certificateAddresses = (config: Config): CertificateAddress[] =>
  settingNames.flatMap((name) => {
    const value = config[name]
    const setting = settingOf(name)
    if (typeof value !== 'string' || value === setting.default || !/^(https|smtps):\/\//.test(value)) return []
    return [{ setting: setting.env, url: new URL(value) }]
  })

const answerMs = 10_000
const defaultPorts: Record<string, number> = { 'https:': 443, 'smtps:': 465 }

/** Returns when the certificate at an address expires, whether or not it is trusted here. Throws if there is none. */
export async function readCertificateExpiry({ hostname, port, protocol }: URL): Promise<Date> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port) || defaultPorts[protocol] || 443,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: false,
    timeout: answerMs,
  })
  socket.once('timeout', () => socket.destroy(new Error(`no answer within ${answerMs / 1_000} s`)))
  try {
    await once(socket, 'secureConnect')
    return new Date(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}

/** Interval of checks in milliseconds, short compared to the weeks that a certificate is valid. */
const lookEveryMs = 3_600_000

/** Exports the expiry of the certificates in the settings as metrics. */
export function watchCertificates(config: Config, { certificates }: Metrics, log: Logger): PeriodicTask {
  const addresses = certificateAddresses(config)
  const look = ({ setting, url }: CertificateAddress) =>
    readCertificateExpiry(url).then(
      (expiry) => certificates.set({ setting }, expiry.getTime() / 1_000),
      (err) => log.info({ err, setting }, 'the certificate at the address in a setting cannot be read'),
    )
  return startPeriodicTask(() => Promise.all(addresses.map(look)), {
    everyMs: lookEveryMs,
    firstAfterMs: 0,
    onError: () => {},
  })
}
